# SPDX-License-Identifier: Apache-2.0
"""Pages as a headless Chromium draws them: without complaints, without asking anybody, and whole in windows of any
width."""

import json
import re
import shutil
import subprocess
from pathlib import Path

BROWSERS_OWN = re.compile(r"^https?://([\w-]+\.)*(google|googleapis|gvt1)\.com$")  # updates, dictionaries
NARROW, WIDE = 360, 1280
# Where each text is: what lies outside its picture or the window, is cut, or lies on another text. Boxes of letters
# are higher than what is seen of them, so two lines may touch.
MEASURE = """
<script>
(() => {
  const width = document.documentElement.clientWidth, found = [], boxes = [];
  const styled = (node, pattern) => {
    for (let e = node.parentElement; e; e = e.parentElement)
      if (pattern.test(getComputedStyle(e).overflowX)) return e;
  };
  if (document.scrollingElement.scrollWidth > width)
    found.push(`the page is ${document.scrollingElement.scrollWidth} wide`);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = texts.nextNode());) {
    if (!node.data.trim() || node.parentElement.closest("script,style,title")) continue;
    const range = document.createRange(), picture = node.parentElement.closest("svg");
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const frame = picture ? picture.getBoundingClientRect() : { left: 0, right: width, top: -1e9, bottom: 1e9 };
      if (!styled(node, /auto|scroll/) && (box.left < frame.left - 1 || box.right > frame.right + 1 ||
          box.top < frame.top - 1 || box.bottom > frame.bottom + 1))
        found.push(`${node.data.trim()} is outside`);
      const cut = styled(node, /hidden|clip/);
      if (cut && !picture && box.right > cut.getBoundingClientRect().right + 1)
        found.push(`${node.data.trim()} is cut`);
      if (box.width > 0) boxes.push([node, box]);
    }
  }
  boxes.forEach(([a, one], i) => boxes.slice(i + 1).forEach(([b, other]) => {
    if (a !== b && Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2 &&
        Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > one.height / 3)
      found.push(`${a.data.trim()} lies on ${b.data.trim()}`);
  }));
  parent.postMessage(JSON.stringify({ width, texts: boxes.length, found }), "*");
})();
</script>
"""
# A window of a browser has a least width, a frame in it has not.
FRAME = """<!doctype html><meta charset="utf-8"><pre id="measured"></pre><script>
addEventListener("message", said => { document.getElementById("measured").textContent = said.data; });
</script><iframe src="page.html" width="%d" height="2000" style="border:0"></iframe>"""


def browse(test, file, folder, picture="page.png"):
    """The document in the end."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        test.skipTest("no chromium")
    log = Path(folder) / "net.json"
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--hide-scrollbars",
         "--enable-logging=stderr", "--v=0", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run", f"--user-data-dir={folder}/browser",
         f"--log-net-log={log}", "--dump-dom", f"--screenshot={folder}/{picture}",
         f"--window-size={WIDE + 40},2400", file.as_uri()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False,
    )  # fmt: skip
    test.assertEqual(done.returncode, 0, done.stderr[-2000:])
    test.assertNotIn(b"CONSOLE", done.stderr)
    asked = {re.sub(r"^(\w+://[^/]*).*", r"\1", url) for url in re.findall(r'"url":"([^"]+)', log.read_text())}
    test.assertEqual({url for url in asked if re.match("https?:", url) and not BROWSERS_OWN.search(url)}, set())
    return done.stdout.decode()


def measured(test, text, folder, width):
    """Of a page in a window: {"width", "texts", "found": what does not fit}."""
    policy = re.compile('<meta http-equiv="Content-Security-Policy"[^>]*>')  # no script is allowed
    text, had_policy = policy.subn("", text)
    test.assertEqual((had_policy, text.count("</body>")), (1, 1))
    (Path(folder) / "page.html").write_text(text.replace("</body>", MEASURE + "</body>"))
    frame = Path(folder) / "frame.html"
    frame.write_text(FRAME % width)
    document = browse(test, frame, folder, f"page-{width}.png")
    (said,) = re.findall('<pre id="measured">(.*?)</pre>', document, re.DOTALL)
    found = json.loads(said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    test.assertEqual(found["width"], width)
    test.assertGreater(found["texts"], 50)
    return found


def must_fit(test, file, folder):
    for width in (NARROW, WIDE):
        with test.subTest(width=width):
            test.assertEqual(measured(test, file.read_text(), folder, width)["found"], [])
