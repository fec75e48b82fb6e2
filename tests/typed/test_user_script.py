from __future__ import annotations

import re
from pathlib import Path

import manikin as mk

SCRIPT = Path(__file__).with_name("user_script.py")


def test_the_script_that_is_type_checked_names_every_public_name():
    named = set(re.findall(r"\bmk\.(\w+)", SCRIPT.read_text(encoding="utf-8")))
    assert set(mk.__all__) - named == set()


def test_everything_public_is_listed():
    assert set(mk.__all__) <= set(dir(mk))
