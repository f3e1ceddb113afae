"""Make the pictures in docs/pictures from what the product itself prints and writes: `python docs/pictures.py`.

The bundled example is locked in its first version and compared with its second: in a pseudo-terminal, for the pictures
of a terminal, and as an HTML report that Chromium opens. Says of each picture whether it is the one that was there;
with `--check` nothing is written, and another picture is exit 1. Fonts are this machine's, so another one makes others.
Needs a POSIX system, playwright and a Chromium on the path.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

HERE = Path(__file__).resolve().parent
PICTURES = HERE / "pictures"
EXAMPLE = HERE.parent / "fixtures" / "example"
DIFF = ("fusion", "diff", "--", "python3", "helpdesk_v2.py")
COLUMNS, ROWS = 100, 50
WIDTH, HEIGHT = 1200, 1080
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

_LIGHT = [(28, 31, 35), (176, 38, 29), (29, 107, 64), (132, 84, 0), (10, 88, 168), (120, 60, 140), (0, 105, 110)]
_DARK = [
    (72, 79, 88),
    (255, 144, 133),
    (130, 211, 161),
    (236, 184, 83),
    (140, 188, 242),
    (210, 160, 230),
    (120, 210, 215),
]
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
THEMES = {
    "light": TerminalTheme((255, 255, 255), (28, 31, 35), [*_LIGHT, (89, 96, 105)], [*_LIGHT, (28, 31, 35)]),
    "dark": TerminalTheme((20, 23, 26), (229, 231, 234), [*_DARK, (200, 204, 209)], [*_DARK, (229, 231, 234)]),
}

# rich's own form loads a font from a network and draws the buttons of a window.
SVG = """\
<svg viewBox="{width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font: {char_height}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }}
{styles}
</style>
<defs>{lines}</defs>
<rect x="0" y="BAR" width="100%" height="100%" rx="8" fill="BACK"/>
<g transform="translate({terminal_x}, {terminal_y})">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


VIEW = re.compile(r'viewBox="(\S+) (\S+)"')
BAR = 28  # what the bar of a window would take above the text


def pictures() -> Iterator[tuple[str, bytes]]:
    """Each picture's file name and bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for script in EXAMPLE.glob("*.py"):
            shutil.copy(script, folder)
        run(folder, "fusion", "lock", "--name", "helpdesk", "--", "python3", "helpdesk_v1.py")
        printed = in_a_terminal(folder, *DIFF)
        for scheme, theme in THEMES.items():
            yield f"terminal-{scheme}.svg", drawn(printed, theme).encode()
        run(folder, *DIFF[:2], "--format", "html=report.html", *DIFF[2:])
        yield from photographed(folder / "report.html")


def environment() -> dict[str, str]:
    """The installed commands and a terminal with colours, and nothing of CI."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "HOME": os.environ.get("HOME", "/"), "TERM": "xterm-256color", "LANG": "C.UTF-8"}


def run(folder: Path, *command: str) -> None:
    """Run a command; findings are no failure."""
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode > 1:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")


def in_a_terminal(folder: Path, *command: str) -> str:
    """What a command prints where its output is a terminal, as text with colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    with subprocess.Popen(command, cwd=folder, env=environment(), stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        printed = b"".join(chunks(ours))
    os.close(ours)
    return printed.decode().replace("\r\n", "\n")


def chunks(descriptor: int) -> Iterator[bytes]:
    """What can be read until the other side is closed, which Linux calls an error."""
    while True:
        try:
            chunk = os.read(descriptor, 65_536)
        except OSError:
            return
        if not chunk:
            return
        yield chunk


def drawn(printed: str, theme: TerminalTheme) -> str:
    """The command and what it printed, as a picture that loads nothing."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text(f"$ {' '.join(DIFF)}", style="bold"))
    console.print(Text.from_ansi(printed), end="")
    form = SVG.replace("BAR", str(BAR)).replace("BACK", theme.background_color.hex)
    picture = console.export_svg(theme=theme, title="", code_format=form, unique_id="fusion")
    return VIEW.sub(lambda size: f'viewBox="0 {BAR} {size[1]} {float(size[2]) - BAR:g}"', picture)


def photographed(page: Path) -> Iterator[tuple[str, bytes]]:
    """The top of an HTML report, with the first schemas unfolded, in both colour schemes."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        print("docs/pictures/html-*.png: not made, there is no Chromium on the path")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        for scheme in SCHEMES:
            window = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
            window.goto(page.as_uri())
            window.locator("a.inline", has_text="Schemas").first.click()
            window.mouse.move(0, 0)
            window.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
            yield f"html-{scheme}.png", window.screenshot()
        browser.close()


def main() -> int:
    """Write, or check, and say what differs."""
    check = sys.argv[1:] == ["--check"]
    PICTURES.mkdir(exist_ok=True)
    stale = False
    for name, picture in pictures():
        path = PICTURES / name
        before = path.read_bytes() if path.is_file() else None
        differs = before != picture
        stale |= differs
        was = "new" if before is None else f"differs: {len(before):,} bytes before" if differs else "the same"
        print(f"{path.relative_to(HERE.parent)}: {len(picture):,} bytes, {was}")
        if differs and not check:
            path.write_bytes(picture)
    return int(check and stale)


if __name__ == "__main__":
    sys.exit(main())
