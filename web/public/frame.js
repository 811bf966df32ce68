// The script of the frame that shows foreign HTML and pictures, see ui/layout/ForeignFrame.tsx. The
// frame has an opaque origin and a policy that runs no other script, so the HTML cannot run code
// here. Requests for what the HTML loads come from this page, which holds no data of the console.
{
  const send = (message) => parent.postMessage(message, "*");

  addEventListener("message", ({ source, data }) => {
    if (source !== parent || typeof data.html !== "string") return;
    document.querySelector("#look").textContent = data.style;
    document.body.innerHTML = data.html;
  });

  // `load` and `error` events of images do not bubble, so they are caught in the capture phase.
  const report = ({ type, target }) => {
    if (!(target instanceof HTMLImageElement)) return;
    send({ picture: type, width: target.naturalWidth, height: target.naturalHeight });
  };
  addEventListener("load", report, true);
  addEventListener("error", report, true);

  send({ ready: true });
}
