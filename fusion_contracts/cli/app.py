"""From argv to an exit code: which command, its module alone imported, and no traceback on any path.

`fusion --help` must cost no more than typer does, so the table below holds each command's name and one line of help,
and the module of a command is imported when that command is called.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from fusion_contracts import __version__
from fusion_contracts.cli.streams import SIGNAL, give_up, interrupted, settle
from fusion_contracts.errors import FusionError, fault

__all__ = ["COMMANDS", "parameters", "run"]

COMMANDS = {
    "lock": "Write down what servers offer; --check verifies it.",
    "check": "For CI: the lock is intact, fresh, compatible with the base.",
    "diff": "Say what changed, and show the calls that fail.",
    "watch": "Keep looking at servers, and post what changes.",
    "explain": "Say why a rule matters, or show a finding in full.",
    "waive": "Accept findings on purpose: by id, or a rule for a time.",
    "show": "Print what a lock or a source holds.",
    "release": "Keep the lock as what agents have learned.",
    "awareness": "Print what a model is told that learned an older contract.",
    "changelog": "Write what each release changed, from git history.",
    "report": "Say how usable tools are, from an error log.",
    "init": "Set a project up: settings, first lock, workflow.",
    "merge-driver": "For git: merge two versions of a lock; --install sets it up.",
    "diff-driver": "For git: print the findings of a changed lock.",
}


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1, 2 (README, exit codes), 128 and the signal when one ended it."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    arguments, command = _split(arguments)
    settle()
    if DEBUG not in arguments:
        return _run(arguments, command)
    from fusion_contracts.cli.debugging import Debugging

    debugging = Debugging(arguments, command)
    with debugging:
        return debugging.ended(_run([word for word in arguments if word != DEBUG], command))


def _run(arguments: list[str], command: tuple[str, ...]) -> int:
    placed = _placed()
    try:
        arguments = _in_order(arguments)
        wanted = _wanted(arguments)
        app = _build(wanted)
        code = app(args=arguments, prog_name="fusion", standalone_mode=False, obj=command)
        sys.stdout.flush()
    except FusionError as error:
        return _refuse(error)
    except (KeyboardInterrupt, typer.Abort):
        return interrupted(signal.SIGINT, placed)
    except (BrokenPipeError, SystemExit) as end:  # typer, too, ends when nobody reads
        return _ended(end, placed)
    except Exception as error:  # noqa: BLE001 - typer's own errors have no public class; no other may end with 1
        return _usage(error, arguments)
    if code == SIGNAL + signal.SIGINT:  # recent typer makes a code of an interrupt
        return interrupted(signal.SIGINT, placed)
    if code == 1 and wanted is None:  # a shell that completion does not know; 1 is for findings
        return 2
    return code if isinstance(code, int) else 0


def _split(arguments: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Cut at the first `--`: what follows is a server's command, and no option of ours."""
    if "--" not in arguments:
        return arguments, ()
    cut = arguments.index("--")
    return arguments[:cut], tuple(arguments[cut + 1 :])


def _in_order(arguments: list[str]) -> list[str]:
    """The same with what may stand before the command behind it, as git takes it: `fusion -C DIR check`.

    Raises FusionError where no command follows.
    """
    moved: list[str] = []
    rest = list(arguments)
    while rest and rest[0].startswith(_EARLY):
        size = 2 if rest[0] in _EARLY else 1  # else its value is in the same word: --config=FILE, -CDIR
        moved += rest[:size]
        del rest[:size]
    if not moved:
        return arguments
    if not rest:
        from fusion_contracts.canonical import shell_word

        message = f"{shell_word(arguments[0])} stands before a command, and none follows"
        raise FusionError(message, "name its value, then a command: fusion -C DIR check", stage="usage")
    return rest if rest[0].startswith("-") else [rest[0], *moved, *rest[1:]]


def _wanted(arguments: Sequence[str]) -> str | None:
    """The command that `arguments` call, if they call one: the options before it take no values.

    Where a shell asks how a line goes on, that of the line, which is in the environment.
    """
    if os.environ.get(_COMPLETING):
        from fusion_contracts.cli.completing import line_so_far, put_command_first

        put_command_first(_EARLY, DEBUG)
        arguments = line_so_far().split()[1:]
    first = next((word for word in arguments if not word.startswith("-")), None)
    return first if first in COMMANDS else None


def _build(wanted: str | None) -> typer.Typer:
    # Completion is an option of fusion itself, and no command's: none waits for it to be made ready.
    # rich would cost 50 ms of start-up for boxes around help texts; tracebacks are never shown.
    app = typer.Typer(
        cls=_Group,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=wanted is None or bool(os.environ.get(_COMPLETING)),
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name, help_text in COMMANDS.items():
        if name == wanted:
            own = name.replace("-", "_")
            module = import_module(f"fusion_contracts.cli.{own}")
            app.command(name, cls=_Command, short_help=help_text)(getattr(module, own))
        else:
            app.command(name, cls=_Command, help=help_text)(_not_called)
    return app


def parameters(name: str) -> list[Any]:
    """The parameters of a command, as typer makes them of its function."""
    group: Any = typer.main.get_command(_build(name))
    return list(group.commands[name].params)


class _AsWritten:
    """Hands a parameter's text on as it was written; typer asks by `coerce`."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ARG002 - typer's own protocol
        return (() if param.multiple else None) if value is None else value


def as_written(parameters: list[Any]) -> list[Any]:
    """Keep typer from loading pydantic to turn texts into texts, which takes a third of a whole `fusion diff`.

    Recent typer converts every parameter with a pydantic adapter, which it builds when the parameter is first used and
    keeps in `_runtime_param`. Every parameter here is a text, a list of texts or a flag, so one that hands texts on is
    put there first. A typer without that attribute is left alone: then the run is slower, and the same.
    """
    for parameter in parameters:
        if getattr(parameter, "_runtime_param", _AsWritten) is None:
            parameter._runtime_param = _AsWritten()  # noqa: SLF001
    return parameters


class _Command(TyperCommand):
    """A command whose flags may stand in the settings, and whose switches can be turned off again: `--no-offline`."""

    def get_params(self, ctx: Any) -> list[Any]:
        return as_written(super().get_params(ctx))

    def make_parser(self, ctx: Any) -> Any:
        parser = super().make_parser(ctx)
        for one in self.params:
            if isinstance(one, TyperOption) and one.is_flag:
                opposite = [_opposite(word) for word in one.opts if word.startswith("--")]
                parser.add_option(obj=one, opts=opposite, dest=one.name, action="store_const", const=False)
        return parser

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.default_map = self._settled(ctx, self.make_parser(ctx).parse_args(args=list(args))[0])
        return super().parse_args(ctx, args)

    def _settled(self, ctx: Any, typed: dict[str, Any]) -> dict[str, Any]:
        """What the settings give to this command. A fault in them is left to the command, which reads them again."""
        from fusion_contracts.config import locate, other_keys

        folder, config = Path(typed.get("folder") or "."), typed.get("config")
        try:
            place, table = locate(folder, None if config is None else folder / config)
            others = other_keys(table)
            if place is None or not (others or "formats" in table):
                return {}
            from fusion_contracts.cli.flags import flags_in, given, judge

            judge(others, place)
            found = given(flags_in(str(self.name), self.params), table)
        except (FusionError, ValueError, OSError):
            return {}
        for name in self._beside(ctx, typed):
            found.pop(name, None)
        return found

    def _beside(self, ctx: Any, typed: dict[str, Any]) -> tuple[str, ...]:
        """What settings may say of OLD and does not count, because the command line names what is compared."""
        takes_sources = any(one.name == "old" for one in self.params)
        named = ctx.obj or any(typed.get(name) for name in ("old", "new", *_FOR_OLD))
        return _FOR_OLD if takes_sources and named else ()


_COMPLETING = "_FUSION_COMPLETE"
DEBUG = "--debug"
_EARLY = ("-C", "--config", "--lockfile")  # what says where the project is, and may stand before the command
_FOR_OLD = ("base", "against")  # the flags that stand for OLD


def _opposite(long: str) -> str:
    name = long.removeprefix("--")
    return f"--{name.removeprefix('no-')}" if name.startswith("no-") else f"--no-{name}"


class _Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return as_written(super().get_params(ctx))


def _not_called() -> None:
    """Stand for a command that this run does not call, so that the help lists it."""


def _version(asked: bool) -> None:
    if not asked:
        return
    print(f"fusion-contracts {__version__}")
    raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[  # listed here; `run` takes it from wherever it stands
        bool, typer.Option(DEBUG, help="Print what a bug report needs, without secrets; anywhere before --.")
    ] = False,
) -> None:
    """Lock what an agent may rely on, and learn what a change does to it.

    Exit: 0 nothing found, 1 findings (or a stale or edited lock), 2 could not check.
    """


def _refuse(error: FusionError) -> int:
    """Print the one sentence of an error that ended the command, and what the exit code means."""
    from fusion_contracts.cli.output import refuse

    sys.audit("fusion_contracts.refused", error)
    return refuse(error)


def _usage(error: Exception, arguments: Sequence[str]) -> int:
    """Print a usage error of typer's, or what the system refused; anything else is a fault of ours, and told as one."""
    from fusion_contracts.cli.output import adrift, misuse, refuse, unwritable

    show, code = getattr(error, "show", None), getattr(error, "exit_code", None)
    if callable(show) and isinstance(code, int):
        return misuse(error, show, machine=_asks_for_json(arguments))
    if isinstance(error, OSError) and error.filename is None:
        give_up(sys.stdout)
        return refuse(unwritable(error) if _stands_somewhere() else adrift())
    return refuse(fault(error))


def _stands_somewhere() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - whether there is one
    except OSError:
        return False
    return True


def _asks_for_json(arguments: Sequence[str]) -> bool:
    return "--format=json" in arguments or ("--format", "json") in pairwise(arguments)


def _ended(end: BaseException, placed: int) -> int:
    """A signal, told; or the reader of our output went away (`fusion diff | head`): quiet, and never a success."""
    code = getattr(end, "code", None)
    if code == 0:  # completion was shown, or installed
        return 0
    if isinstance(code, int) and code > SIGNAL:
        return interrupted(code - SIGNAL, placed)
    give_up(sys.stdout)
    return 2


def _placed() -> int:
    """How many files this process has written: none, where the module that writes is not loaded."""
    return len(getattr(sys.modules.get("fusion_contracts.lockfile.file"), "placed", ()))
