"""The studio: pose a figure in the browser.

>>> import manikin as mk
>>> studio = mk.studio(mk.human())                                     # doctest: +SKIP
>>> studio.url                                                         # doctest: +SKIP
'http://localhost:8090/'

The room: ``model/`` is what is edited, without any window; ``view/`` what the browser shows; ``server/`` who may
connect; `app.Studio` puts them together. Needs the extra ``studio``. Calling the module is calling `open_studio`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from manikin.studio.open import open_studio

if TYPE_CHECKING:
    from manikin.studio.app import Studio

__all__ = ["open_studio"]


class _Callable(ModuleType):
    """This module: ``mk.studio(figure)`` opens a studio, and ``manikin.studio`` is the room that it is made in."""

    def __call__(self, subject: Any = None, **options: Any) -> Studio:
        """Open the studio; see `open_studio`."""
        return open_studio(subject, **options)


sys.modules[__name__].__class__ = _Callable
