import { useT } from "#i18n/t.ts";
import { Kbd } from "#ui/layout/Kbd.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";

/** A dialog that explains the keyboard shortcuts of a list. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  const lines: readonly (readonly [keys: readonly string[], what: string])[] = [
    [["j", "k"], t("table.keyMove")],
    [["Enter"], t("table.keyOpen")],
    [[t("table.keySpace")], t("table.keyPeek")],
    [["e"], t("table.keyEdit")],
    [["x"], t("table.keySelect")],
    [["Shift", "x"], t("table.keySelectRange")],
    [["/"], t("table.keySearch")],
    [["Esc"], t("table.keyClose")],
    [["?"], t("table.keyHelp")],
  ];
  return (
    <Dialog open onClose={onClose} title={t("table.shortcuts")} width="sm">
      <dl className="flex flex-col text-sm">
        {lines.map(([keys, what]) => (
          <div
            key={what}
            className="flex min-h-9 items-center justify-between gap-4 border-b border-line last:border-b-0"
          >
            <dt>{what}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
