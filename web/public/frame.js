// The script of the frame that shows HTML and pictures of others, see ui/layout/ForeignFrame.tsx. The
// frame has an origin of its own and a policy that runs no other script, so HTML cannot do anything
// here; and what it loads is loaded by a page that knows nothing.
{
  const send = (message) => parent.postMessage(message, "*");

  addEventListener("message", ({ source, data }) => {
    if (source !== parent || typeof data.html !== "string") return;
    document.querySelector("#look").textContent = data.style;
    document.body.innerHTML = data.html;
  });

  // These events do not bubble, hence the capture.
  const report = ({ type, target }) => {
    if (!(target instanceof HTMLImageElement)) return;
    send({ picture: type, width: target.naturalWidth, height: target.naturalHeight });
  };
  addEventListener("load", report, true);
  addEventListener("error", report, true);

  send({ ready: true });
}
