import { lazy, Suspense } from "react";
import { useT } from "#i18n/t.ts";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";

const QrPicture = lazy(async () => ({ default: (await import("qrcode.react")).QRCodeSVG }));

/** A QR code. It is black on white in both themes, because cameras expect that. */
export function QrCode(props: {
  text: string;
  /** The length of a side in pixels. */
  size?: number | undefined;
  label?: string | undefined;
}) {
  const { text, size = 176, label } = props;
  const t = useT();
  return (
    <div
      role="img"
      aria-label={label ?? t("ui.qrCode")}
      className="inline-block rounded border border-line bg-[#fff] p-3"
    >
      <Suspense fallback={<Skeleton width={size} height={size} />}>
        <QrPicture value={text} size={size} level="M" className="block" aria-hidden />
      </Suspense>
    </div>
  );
}
