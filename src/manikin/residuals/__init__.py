"""What a goal asks of a pose, as rows of numbers with ranges: `Block`, some rows of one kind."""

from __future__ import annotations

from manikin.residuals.block import Block as Block
from manikin.residuals.register import register as register
