"""Opens a report in a real browser and checks its interactive behaviour, as named by the checks.
Usage: check.py REPORT.html [FOLDER-FOR-SCREENSHOTS]"""

import base64
import os
import pathlib
import signal
import sys
import time

from browser import Browser, BrowserError, Page

TIME_LIMIT_S = 50
SIZES = {"phone": (360, 800), "desktop": (1280, 900)}

# Resolves once the tooltip is as wanted, or after two seconds with its actual state.
TOOLTIP = """new Promise((resolve) => {
  const end = performance.now() + 2000;
  const look = () => {
    const tip = document.getElementById('tip');
    const shown = tip && !tip.hidden && tip.getBoundingClientRect().width > 0;
    const box = shown && tip.getBoundingClientRect();
    const inside = shown && box.left >= 0 && box.right <= innerWidth;
    if (Boolean(shown) === %s) resolve(shown ? (inside ? tip.textContent : 'off the screen') : '');
    else if (performance.now() > end) resolve(shown ? 'still shown' : 'not shown');
    else requestAnimationFrame(look);
  };
  look();
})"""
POINTS = "[...document.querySelectorAll('svg.plot')].filter(p => p.getBoundingClientRect().width).map(p => [...p.querySelectorAll('.pt')]).filter(p => p.length)"


class Tally:
    """Counts checks and prints those that fail."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, good, detail=""):
        """Counts one check."""
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {name}: {detail}")


def centre(page, plot, point):
    """Scrolls a point into view and returns its middle."""
    return page.evaluate(f"""(() => {{
      const point = {POINTS}[{plot}].at({point});
      point.scrollIntoView({{block: 'center', behavior: 'instant'}});
      const box = (point.querySelector('.m, .bar') || point).getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    }})()""")


def tooltip(page, shown=True):
    """Returns the text of the tooltip once shown, or an empty text once hidden."""
    return page.evaluate(TOOLTIP % ("true" if shown else "false"))


def is_tip(text):
    """Returns whether a text is that of a tooltip, not a description of the wrong state."""
    return text not in ("", "not shown", "still shown", "off the screen")


def mouse(page, kind, x, y):
    page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y)


def key(page, name):
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key=name, code=name)


def tooltips(page, tally, name, touch):
    """Every plot's first and last point reacts to pointer, keyboard and touch."""
    for plot, count in enumerate(page.evaluate(f"{POINTS}.map(p => p.length)")):
        for point in sorted({0, -1}):
            where = f"{name}, plot {plot + 1}, {'last' if point else 'first'} point"
            x, y = centre(page, plot, point)
            if touch:
                page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
                page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
                text = tooltip(page)
                tally.check(f"tap shows the tooltip ({where})", is_tip(text), text)
                key(page, "Escape")
            else:
                mouse(page, "mouseMoved", x, y)
                text = tooltip(page)
                tally.check(f"hover shows the tooltip ({where})", is_tip(text), text)
                mouse(page, "mouseMoved", 1, 1)
            text = tooltip(page, shown=False)
            tally.check(f"the tooltip goes away ({where})", text == "", text)
        page.evaluate(f"document.activeElement.blur(); {POINTS}[{plot}][0].focus()")
        first = tooltip(page)
        tally.check(f"focus shows the tooltip ({name}, plot {plot + 1})", is_tip(first), first)
        if count > 1:
            key(page, "ArrowRight")
            moved = page.evaluate(f"document.activeElement === {POINTS}[{plot}][1]")
            tally.check(f"arrow keys move between points ({name}, plot {plot + 1})", moved, "they don't")
        page.evaluate("document.activeElement.blur()")
        tooltip(page, shown=False)


def too_wide(page, width):
    """How far the page reaches beyond the screen. A phone zooms out from a page that is too wide
    and calls that its inner width, so the width of the screen counts."""
    return page.evaluate("Math.max(document.scrollingElement.scrollWidth, innerWidth)") - width


def shot(page, folder, name, height):
    """Saves a screenshot of the whole page."""
    full = page.evaluate("document.scrollingElement.scrollHeight")
    width = page.evaluate("innerWidth")
    clip = {"x": 0, "y": 0, "width": width, "height": max(full, height), "scale": 1}
    data = page.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
    pathlib.Path(folder, f"{name}.png").write_bytes(base64.b64decode(data))


def run(path, folder, tally):
    """Runs all checks of a report."""
    url = path.resolve().as_uri()
    with Browser(time.monotonic() + TIME_LIMIT_S) as browser:
        page = Page(browser)
        for size, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                name = f"{size}, {scheme}"
                page.open(url, width, height, scheme)
                if folder:
                    shot(page, folder, f"{size}-{scheme}", height)
                wide = too_wide(page, width)
                tally.check(f"no sideways scrolling ({name})", wide <= 0, f"{wide} px too wide")
                shade = page.evaluate(
                    "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3)"
                    ".reduce((sum, part) => sum + Number(part), 0) / 765")
                tally.check(f"colours follow the scheme ({name})", (shade < 0.3) == (scheme == "dark"), shade)
                tooltips(page, tally, name, touch=size == "phone")
                wide = too_wide(page, width)
                tally.check(f"tooltips don't widen the page ({name})", wide <= 0, f"{wide} px too wide")
                complaints = page.complaints()
                tally.check(f"no errors in the console ({name})", not complaints, complaints)
                requests = page.requests(url)
                tally.check(f"no network requests ({name})", not requests, requests)
        page.open(url, *SIZES["phone"], "light", script=False)
        untold = page.evaluate("[...document.querySelectorAll('.pt')].filter(p => !p.querySelector('title')?.textContent).length")
        tally.check("points have titles without the script", untold == 0, f"{untold} have none")
        if folder:
            page.open(url, *SIZES["desktop"], "light")
            pdf = page.call("Page.printToPDF", printBackground=False)["data"]
            pathlib.Path(folder, "print.pdf").write_bytes(base64.b64decode(pdf))


def main():
    """Runs the checks and prints the closing line."""
    path, folder = pathlib.Path(sys.argv[1]), (sys.argv[2] if len(sys.argv) > 2 else None)
    if folder:
        os.makedirs(folder, exist_ok=True)
    tally = Tally()
    try:
        run(path, folder, tally)
    except BrowserError as error:
        tally.check("the browser does what it is asked", False, error)
    print(f"web: {tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    # The time limit of run.sh raises an exception, so that the browser is cleaned up too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("out of time"))
    sys.exit(main())
