"""`mcp-run schema`: the JSON Schema of mcp.yaml, for editors."""

from pathlib import Path

import click

from runner.cli.console import Output
from runner.codec.json import encode_indented
from runner.config.json_schema import file_schema

EXAMPLES = """\b
Examples:
  mcp-run schema                      # writes mcp-run.schema.json
  mcp-run schema -o -                 # prints it
Then begin mcp.yaml with:
  # yaml-language-server: $schema=mcp-run.schema.json
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "-o",
    "--output",
    "target",
    default="mcp-run.schema.json",
    show_default=True,
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Where to write it; - prints it.",
)
def schema(target: Path) -> int:
    """Write the JSON Schema of mcp.yaml, which editors complete and check with."""
    text = encode_indented(file_schema()).decode()
    output = Output()
    if str(target) == "-":
        output.result(text)
        return 0
    try:
        target.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise click.FileError(str(target), hint=error.strerror) from error
    output.say(f"wrote {target}")
    return 0
