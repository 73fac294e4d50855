"""The process speaks UTF-8, whatever its locale says.

The file is UTF-8 on every machine; so are the names of files in it, the variables that it asks
for and what is printed of it. Python settles most of that when it starts, so that a process which
it started otherwise is started again.
"""

import io
import os
import sys


def speak_utf8() -> None:
    """Makes this process read and write UTF-8; may replace it by the same, begun anew."""
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What is no text at all is shown escaped; printing never ends a command.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
