import { useState } from "react";
import { below } from "#page/base-path.ts";
import { useStatus } from "./use-status.ts";

/** The name of this installation until the server has said its own. */
const productName = "Tollgate";

const productLogo = below("/logo.svg");

export function useSystemName(): string {
  return useStatus()?.system_name || productName;
}

/** The logo that root chose, or the product's own. */
export function useLogo(): string {
  return useStatus()?.logo || productLogo;
}

/** The logo of this installation. Decoration only, because the name is beside it. */
export function SystemMark(props: {
  /** Width and height in pixels. */
  readonly size: number;
  /** Called with the address that is shown in place of a logo that cannot be. */
  readonly onReplaced?: (logo: string) => void;
}) {
  const { size, onReplaced } = props;
  const chosen = useLogo();
  const [broken, setBroken] = useState("");
  return (
    <img
      src={chosen === broken ? productLogo : chosen}
      alt=""
      width={size}
      height={size}
      style={{ width: size, height: size }}
      className="shrink-0"
      // Shows the built-in logo instead. Besides a broken image, the cause may be that root has set
      // a new logo since the page was loaded: the page's content security policy does not allow its
      // origin.
      onError={() => {
        setBroken(chosen);
        onReplaced?.(productLogo);
      }}
    />
  );
}
