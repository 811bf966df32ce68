import { Play } from "lucide-react";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { basePath, below } from "#page/base-path.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";

type Shown = { readonly url: string; readonly isOwn: boolean };

/** The paths at which this server gives results. */
const ownPaths = /^\/(mj\/image|v1\/tasks\/results)\//;

/**
 * Results that come through this server are shown here, whatever name it has outside. Others are
 * only links: the page's policy loads nothing from foreign servers.
 */
function shownAt(url: string, progress: string): Shown {
  if (url === "" || !URL.canParse(url, location.href)) return { url: "", isOwn: false };
  const { pathname, protocol, href } = new URL(url, location.href);
  const changing = progress === "" ? "" : `?rand=${encodeURIComponent(progress)}`;
  const path = pathname.startsWith(below("/")) ? pathname.slice(basePath.length) : pathname;
  if (ownPaths.test(path)) return { url: below(path) + changing, isOwn: true };
  return { url: /^https?:$/.test(protocol) ? href : "", isOwn: false };
}

export type ResultKind = "picture" | "sound" | "video";

/** A small picture or a player of a result, and a dialog with all of it. */
export function TaskResult(props: {
  readonly url: string;
  readonly kind: ResultKind;
  readonly name: string;
  /** While the task runs, its progress, by which the picture is read again; empty: it has ended. */
  readonly progress: string;
}) {
  const { url, kind, name, progress } = props;
  const t = useT();
  const [open, setOpen] = useState(false);
  const [brokenUrl, setBrokenUrl] = useState("");
  const shown = shownAt(url, progress);
  const broken = shown.url !== "" && shown.url === brokenUrl;
  if (shown.url === "") return <Muted>–</Muted>;
  if (!shown.isOwn || broken) {
    return (
      <Link href={shown.url} target="_blank" rel="noreferrer">
        {t("tasks.openResult")}
      </Link>
    );
  }
  return (
    <>
      {kind === "picture" ? (
        <button
          type="button"
          className="block size-12 cursor-zoom-in overflow-hidden rounded"
          aria-label={t("tasks.enlarge", { name })}
          onClick={() => setOpen(true)}
        >
          <img
            src={shown.url}
            alt=""
            loading="lazy"
            decoding="async"
            className="size-full object-cover"
            onError={() => setBrokenUrl(shown.url)}
          />
        </button>
      ) : (
        <IconButton
          icon={<Play size={16} aria-hidden />}
          label={t("tasks.play", { name })}
          onClick={() => setOpen(true)}
        />
      )}
      <Dialog open={open} onClose={() => setOpen(false)} title={name} width="lg">
        {open && kind === "picture" && (
          <img src={shown.url} alt={name} className="mx-auto max-h-[75dvh] w-auto max-w-full" />
        )}
        {open && kind === "sound" && (
          <audio src={shown.url} controls preload="metadata" className="w-full">
            <track kind="captions" />
          </audio>
        )}
        {open && kind === "video" && (
          // Captions are not part of the task.
          <video src={shown.url} controls preload="metadata" className="max-h-[75dvh] w-full">
            <track kind="captions" />
          </video>
        )}
      </Dialog>
    </>
  );
}
