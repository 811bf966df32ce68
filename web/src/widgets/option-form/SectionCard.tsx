import { isPriceOption, type OptionName } from "@tollgate/contract/options/options.ts";
import { type KeyboardEvent, type ReactNode, useId } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card, CardFoot } from "#ui/layout/Card.tsx";
import { TryPrices } from "#widgets/price-preview/TryPrices.tsx";
import { OptionField } from "./OptionField.tsx";
import { useDrafts } from "./drafts.ts";

/** A section of options, with one button that saves all its changes. */
export function SectionCard(props: {
  readonly anchor: string;
  readonly title: string;
  readonly help?: ReactNode;
  /** The options that the section's button saves. */
  readonly keys: readonly OptionName[];
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { anchor, title, help, keys } = props;
  const t = useT();
  const titleId = useId();
  const { changedOf, textOf, revert, save, isSaving } = useDrafts();
  const changed = changedOf(keys);
  const count = changed.length;
  const prices = changed.filter(isPriceOption);
  return (
    <section
      id={anchor}
      aria-labelledby={titleId}
      className="min-w-0 scroll-mt-4 max-xl:scroll-mt-14"
    >
      <Card
        title={
          <div className="flex flex-wrap items-center gap-2">
            <h2 id={titleId}>{title}</h2>
            {count > 0 && <Badge tone="warning">{t("settings.unsaved", { count })}</Badge>}
          </div>
        }
        actions={props.actions}
      >
        {/* The fields are no `form`, because a section can have forms of its own. */}
        <div
          className="flex min-w-0 flex-col gap-5"
          onKeyDown={(event) => {
            if (count > 0 && !isSaving && isEnterInField(event)) {
              event.preventDefault();
              void save(keys);
            }
          }}
        >
          {help !== undefined && (
            <p className="text-sm">
              <Muted>{help}</Muted>
            </p>
          )}
          {props.children}
          <CardFoot sticky={count > 0}>
            <Button
              variant={count > 0 ? "primary" : "default"}
              loading={isSaving && count > 0}
              type="submit"
              onClick={() => void save(keys)}
            >
              {t("settings.save")}
            </Button>
            {prices.length > 0 && (
              <TryPrices
                tried={{ options: Object.fromEntries(prices.map((key) => [key, textOf(key)])) }}
              />
            )}
            {count > 0 && (
              <Button disabled={isSaving} onClick={() => revert(keys)}>
                {t("settings.discard")}
              </Button>
            )}
          </CardFoot>
        </div>
      </Card>
    </section>
  );
}

/** Whether Enter was pressed in a field of one line that has no use of its own for it. */
function isEnterInField(event: KeyboardEvent<HTMLElement>): boolean {
  const { key, target, currentTarget, nativeEvent } = event;
  if (key !== "Enter" || nativeEvent.isComposing || event.isDefaultPrevented()) return false;
  // Events of dialogs and pop-ups arrive here as well, though they are elsewhere in the page.
  if (!(target instanceof HTMLInputElement) || !currentTarget.contains(target)) return false;
  const isOption = target.closest("[data-option]") !== null && target.form === null;
  return isOption && target.role !== "combobox" && target.type !== "checkbox";
}

/** The fields of several options, side by side where there is room. */
export function OptionGrid({ names }: { readonly names: readonly OptionName[] }) {
  return (
    <div className="grid min-w-0 gap-x-6 gap-y-5 md:grid-cols-2">
      {names.map((name) => (
        <OptionField key={name} name={name} />
      ))}
    </div>
  );
}
