"""Every code that the SQL compiler reports has its sentence in the table."""

import re
from pathlib import Path
from typing import get_args

import yaml

from runner.catalog.proving import RefusalKind

ROOT = Path(__file__).parents[3]
_CODE = re.compile(r'"([a-z]+(?:-[a-z]+)+)"')


def test_every_code_stands_in_the_table_and_back() -> None:
    files = [*(ROOT / "runner/compile/sql").glob("*.py"), ROOT / "runner/compile/sql/prove.py"]
    found = {code for file in files for code in _CODE.findall(file.read_text("utf-8"))}
    table = yaml.safe_load((ROOT / "docs/errors.d/sqlcompile.yaml").read_text("utf-8"))
    assert found - set(get_args(RefusalKind)) == set(table) - set(get_args(RefusalKind))
