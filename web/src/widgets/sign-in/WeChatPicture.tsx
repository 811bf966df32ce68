import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";

/** Width and height of the official account's QR code, in pixels. */
const pictureSize = 200;

/**
 * The QR code of the official WeChat account. `picture` is the image's address; empty if root has
 * set none.
 */
export function WeChatPicture({ picture }: { readonly picture: string }) {
  const t = useT();
  const [isGone, setGone] = useState(picture === "");
  if (isGone) return <Banner tone="danger" title={t("widgets.weChatPictureFailed")} />;
  return (
    <img
      src={picture}
      alt={t("widgets.weChatPicture")}
      width={pictureSize}
      height={pictureSize}
      className="mx-auto object-contain"
      onError={() => setGone(true)}
    />
  );
}
