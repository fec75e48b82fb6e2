"""The reference: every public name with its signature and docstring, a page a room, made from the package itself."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import FunctionType
from typing import Any

#: Rooms of the reference: a title, what it is about, and the modules whose public names it lists.
ROOMS = {
    "manikin": ("Everything at hand", "What `import manikin as mk` gives.", ("manikin",)),
    "figures": (
        "Figures",
        "Trees of segments and joints, poses, the human.",
        ("manikin.figure", "manikin.figure.human"),
    ),
    "goals": ("Goals", "What one can ask for.", ("manikin.goals",)),
    "solving": ("Solving", "Problems and what they find.", ("manikin.problem", "manikin.result")),
    "motion": ("Motion", "Clips, paths, tracking, retargeting.", ("manikin.motion", "manikin.retargeting")),
    "markers": ("Captured motion", "Markers, sensors, scaling.", ("manikin.markers",)),
    "reach": ("Reach", "Workspaces, maps, studies.", ("manikin.reach",)),
    "formats": ("Files", "Figures, clips and scenes in and out.", ("manikin.formats",)),
    "pictures": ("Pictures", "Figures drawn without a screen.", ("manikin.pictures",)),
    "notebook": ("Notebooks", "Figures that show themselves, and pages of them.", ("manikin.notebook",)),
    "studio": ("Studio", "Posing in the browser.", ("manikin.studio",)),
    "errors": ("Errors", "What can go wrong, by name.", ("manikin.errors",)),
}
_ARGUMENT = re.compile(r"^([A-Za-z_][\w, …*]*): (.*)$")
_CODE = re.compile(r"``(.+?)``|`([^`]+?)`")


def write_reference(folder: Path) -> None:
    """Write all pages; those whose modules are missing are left out."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    written = [name for name in ROOMS if _write_room(folder, name)]
    listed = "\n".join(written)
    (folder / "index.md").write_text(
        f"# Reference\n\nEvery public name.\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n",
        encoding="utf-8",
    )


def _write_room(folder: Path, name: str) -> bool:
    title, about, modules = ROOMS[name]
    parts = [f"# {title}\n\n{about}\n"]
    for module_name in modules:
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            continue
        for public in public_names(module):
            value = getattr(module, public, None)
            if inspect.isclass(value) or isinstance(value, FunctionType):
                parts.append(_described(f"{public}", value))
    if len(parts) == 1:
        return False
    (folder / f"{name}.md").write_text("\n".join(parts), encoding="utf-8")
    return True


def public_names(module: Any) -> list[str]:
    """What ``__all__`` says, or else what the module itself defines without an underscore."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__, key=str.lower)
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    )


def _described(name: str, value: Any) -> str:
    lines = [
        f"## {name}",
        "",
        "```python",
        _signature(name, value),
        "```",
        "",
        markdown(inspect.getdoc(value) or ""),
    ]
    if inspect.isclass(value):
        for key, member in _members(value).items():
            text = _member(key, member)
            if text:
                lines += ["", text]
    return "\n".join([*lines, ""])


def _members(owner: type) -> dict[str, Any]:
    """What a class defines itself, and what it has from bases of ours that are no public names."""
    found = dict(vars(owner))
    for base in owner.__mro__[1:]:
        if base.__module__.startswith("manikin.") and not hasattr(
            importlib.import_module("manikin"), base.__name__
        ):
            found = {**vars(base), **found}
    return found


def _signature(name: str, value: Any, *, method: bool = False) -> str:
    """The call as one would write it, a line an argument where it is long."""
    if inspect.isclass(value) and issubclass(value, BaseException):
        return f"class {name}({value.__bases__[0].__name__})"
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return f"{name}(...)"
    arguments: list[str] = []
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    for index, parameter in enumerate(signature.parameters.values()):
        if method and index == 0 and parameter.name in ("self", "cls"):
            continue
        bare = parameter.VAR_POSITIONAL not in kinds[: index + 1]
        if parameter.kind is parameter.KEYWORD_ONLY and bare and parameter.KEYWORD_ONLY not in kinds[:index]:
            arguments.append("*")
        arguments.append(_argument(parameter))
    back = signature.return_annotation
    end = (
        ""
        if back in (inspect.Signature.empty, "None", None) or inspect.isclass(value)
        else f" -> {_type(back)}"
    )
    line = f"{name}({', '.join(arguments)}){end}"
    if len(line) <= 100:
        return line
    return f"{name}(\n    " + ",\n    ".join(arguments) + f",\n){end}"


def _argument(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    known = parameter.annotation is not parameter.empty
    if known:
        text += f": {_type(parameter.annotation)}"
    if parameter.default is not parameter.empty:
        default = repr(parameter.default)
        text += (" = " if known else "=") + ("..." if "<" in default or "\n" in default else default)
    return text


def _type(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _member(key: str, member: Any) -> str:
    """A method or property in a few lines; nothing where it is private or not documented."""
    if key.startswith("_"):
        return ""
    inner = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
    if isinstance(inner, FunctionType):
        head = (
            re.sub(r"\s*\n\s*", " ", _signature(key, inner, method=True))
            .replace("( ", "(")
            .replace(", )", ")")
        )
    elif isinstance(member, property) or hasattr(member, "func") or hasattr(member, "compute"):
        head = key
        inner = getattr(member, "fget", None) or getattr(member, "func", None) or member.compute
    else:
        return ""
    doc = inspect.getdoc(inner)
    if not doc:
        return ""
    return f"`{head}`\n: " + markdown(doc).replace("\n", "\n  ")


def markdown(doc: str) -> str:
    """A docstring as Markdown: names and code in backticks, lines ``name: what`` as a list, all else as it stands."""
    result: list[str] = []
    in_list = False
    for line in doc.splitlines():
        argument = _ARGUMENT.match(line)
        if argument:
            if not in_list and result and result[-1]:
                result.append("")
            result.append(f"- `{argument[1]}`: {_escaped(argument[2])}")
            in_list = True
        elif in_list and line.startswith("    "):
            result.append("  " + _escaped(line.strip()))
        elif line.startswith((">>> ", "... ", "    ")) and not in_list:
            result.append(
                "    " + line.strip()
                if result and result[-1].startswith("    ")
                else _code_line(result, line)
            )
        else:
            if in_list and line:
                result.append("")
            in_list = False
            result.append(_escaped(line))
    return "\n".join(result)


def _code_line(result: list[str], line: str) -> str:
    if result and result[-1]:
        result.append("")
    return "    " + line.strip()


def _escaped(text: str) -> str:
    """Text with what Markdown would read as marks made plain, but for code in backticks."""
    parts: list[str] = []
    end = 0
    for match in _CODE.finditer(text):
        parts.append(_plain(text[end : match.start()]))
        parts.append("`" + (match[1] or match[2]) + "`")
        end = match.end()
    parts.append(_plain(text[end:]))
    return "".join(parts)


def _plain(text: str) -> str:
    text = re.sub(r"\\(?=\|)", "", text)
    return re.sub(r"([*_<>\[\]#$`])", r"\\\1", text)
