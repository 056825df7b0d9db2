"""Controls Chromium by the DevTools protocol through a pipe, with the standard library only.

Messages are JSON with a NUL byte after each; Chromium reads them from descriptor 3 and writes
answers and events to descriptor 4.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync --disable-extensions
--disable-dev-shm-usage --no-default-browser-check --hide-scrollbars=false
--remote-debugging-pipe""".split()


class BrowserError(Exception):
    """The browser has ended, is too slow, or refused a request."""


class Browser:
    """A browser with an empty profile, which is removed at the end of `with`."""

    def __init__(self, deadline):
        self.deadline = deadline
        self.events = []
        self._buffer = b""
        self._last_id = 0

    def __enter__(self):
        self._profile = tempfile.mkdtemp(prefix="bandwise-web-")
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        # The child needs the pipe's ends as 3 and 4. Both are moved first, since either may already have one of these
        # numbers.
        def connect():
            source, sink = os.dup(to_read), os.dup(to_write)
            while source in (3, 4):
                source = os.dup(source)
            while sink in (3, 4):
                sink = os.dup(sink)
            os.dup2(source, 3)
            os.dup2(sink, 4)

        environment = dict(os.environ, HOME=self._profile, XDG_CONFIG_HOME=self._profile,
                           XDG_CACHE_HOME=self._profile)
        self._process = subprocess.Popen(
            ["chromium", *FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=connect, start_new_session=True, env=environment)
        os.close(to_read)
        os.close(to_write)
        return self

    def __exit__(self, *_):
        # The browser leads its own process group, so no other process is affected.
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
        # A helper process may still write for a moment.
        for _ in range(100):
            shutil.rmtree(self._profile, ignore_errors=True)
            if not os.path.exists(self._profile):
                break
            select.select([], [], [], 0.02)

    def _receive(self):
        """Returns the next message."""
        while b"\0" not in self._buffer:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise BrowserError("out of time")
            chunk = os.read(self._read, 1 << 16)
            if not chunk:
                raise BrowserError("the browser ended")
            self._buffer += chunk
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        """Calls a method and returns its result; events that arrive meanwhile are kept."""
        self._last_id += 1
        request = {"id": self._last_id, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        try:
            os.write(self._write, json.dumps(request).encode() + b"\0")
        except BrokenPipeError:
            raise BrowserError("the browser ended") from None
        while True:
            message = self._receive()
            if message.get("id") == self._last_id:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def wait_for(self, method, session):
        """Waits for an event, including those since the last clearing."""
        def found():
            return any(e["method"] == method and e.get("sessionId") == session for e in self.events)
        while not found():
            message = self._receive()
            if "method" in message:
                self.events.append(message)


class Page:
    """A tab."""

    def __init__(self, browser):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """Calls a method of this tab."""
        return self.browser.call(method, self.session, **parameters)

    def open(self, url, width, height, scheme, script=True):
        """Loads a page with a size and colour scheme; returns after its load event."""
        touch = width < 600
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if touch else 1, mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.call("Emulation.setEmulatedMedia", media="screen",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.browser.events.clear()
        if error := self.call("Page.navigate", url=url).get("errorText"):
            raise BrowserError(f"{url}: {error}")
        self.browser.wait_for("Page.loadEventFired", self.session)

    def evaluate(self, expression):
        """Returns the value of an expression, after its promise if it is one."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in result:
            detail = result["exceptionDetails"]
            raise BrowserError(detail.get("exception", {}).get("description", detail["text"]))
        return result["result"].get("value")

    def complaints(self):
        """Returns errors logged by the page since it was opened, and uncaught exceptions."""
        found = []
        for event in self.browser.events:
            parameters = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
                found.append(str([a.get("value") for a in parameters["args"]]))
            elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"])
        return found

    def requests(self, url):
        """Returns the addresses requested by the page, besides its own and data addresses."""
        sent = [e["params"]["request"]["url"] for e in self.browser.events
                if e["method"] == "Network.requestWillBeSent"]
        return [r for r in sent if r != url and not r.startswith("data:")]
