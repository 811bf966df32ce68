import type { Field } from "@tollgate/contract/kinds/kinds.ts";
import { type OptionName, options } from "@tollgate/contract/options/options.ts";
import { Undo2 } from "lucide-react";
import { turnOffKey, unreadKey } from "#i18n/kind-keys.ts";
import { showQuota } from "#display/quota.ts";
import { textOrNull, useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Switch } from "#ui/controls/Switch.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { HelpOn } from "#widgets/help/HelpOn.tsx";
import { optionTerms } from "#widgets/help/terms.ts";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { OptionControl } from "./OptionControl.tsx";
import { optionText, unreadReason } from "./option-texts.ts";
import { useDrafts } from "./drafts.ts";

/** One option: its control, its help text, and, while a change is not saved, its old value. */
export function OptionField({ name }: { readonly name: OptionName }) {
  const t = useT();
  const { errorOf } = useDrafts();
  const { label, help } = optionText(name, t);
  const { type: kind } = options[name];
  const isFlag = kind === "flag";
  const reason = unreadReason(name);
  const unread = reason !== null;
  const error = errorOf(name);
  const term = optionTerms[name];
  return (
    <div className={isWide(name) ? "min-w-0 md:col-span-2" : "min-w-0"} data-option={name}>
      <FieldFrame
        name={name}
        label={label}
        about={term && <HelpOn term={term} word={label} />}
        help={<Help texts={[reason === null ? null : t(unreadKey(reason)), help]} />}
        error={error}
        grouped={["decimalMap", "json", "pairList", "textMap"].includes(kind)}
        labelled={isFlag}
      >
        {({ id, invalid }) =>
          isFlag ? (
            <FlagControl name={name} id={id} label={label} disabled={unread} />
          ) : (
            <OptionControl name={name} id={id} label={label} disabled={unread} invalid={invalid} />
          )
        }
      </FieldFrame>
      <ChangedMark name={name} label={label} />
    </div>
  );
}

function Help({ texts }: { readonly texts: readonly (string | null)[] }) {
  const shown = texts.filter((text) => text !== null);
  return shown.length === 0 ? null : <>{shown.join(" ")}</>;
}

/** Whether the control takes the whole width: those for texts of several lines and for lists do. */
function isWide(name: OptionName): boolean {
  const { type: kind } = options[name];
  return !["flag", "text", "number", "decimal", "choice"].includes(kind);
}

function FlagControl(props: {
  readonly name: OptionName;
  readonly id: string;
  readonly label: string;
  readonly disabled: boolean;
}) {
  const { name } = props;
  const t = useT();
  const confirm = useConfirm();
  const { textOf, change, save } = useDrafts();

  async function set(checked: boolean) {
    if (options[name].confirmsOff !== true || checked) {
      change(name, String(checked));
      return;
    }
    const said = (part: "Body" | "Confirm" | "Title") =>
      textOrNull(turnOffKey(name, part), t) ?? "";
    const agreed = await confirm({
      title: said("Title"),
      body: said("Body"),
      confirmLabel: said("Confirm"),
      tone: "danger",
    });
    if (!agreed) return;
    change(name, "false");
    await save([name]);
  }

  return (
    <Switch
      id={props.id}
      aria-describedby={`${props.id}-help`}
      label={props.label}
      disabled={props.disabled}
      checked={textOf(name) === "true"}
      onChange={(checked) => void set(checked)}
    />
  );
}

/** The longest old value, in characters, that is shown beside a changed option. */
const shownMax = 60;

function ChangedMark({ name, label }: { readonly name: OptionName; readonly label: string }) {
  const t = useT();
  const { changedOf, revert, stored } = useDrafts();
  const display = useQuotaDisplay();
  if (changedOf([name]).length === 0) return null;
  const before = stored[name] ?? "";
  return (
    <div className="mt-1 flex min-h-7 items-center gap-1 text-xs">
      <Toned tone="warning">
        {options[name].secret || before.length > shownMax || before.includes("\n")
          ? t("settings.changed")
          : t("settings.changedFrom", { value: shownValue(before) })}
      </Toned>
      <IconButton
        size="sm"
        label={t("settings.revertOf", { name: label })}
        icon={<Undo2 size={14} aria-hidden />}
        onClick={() => revert([name])}
      />
    </div>
  );

  function shownValue(text: string): string {
    const field: Field = options[name];
    if (field.unit === "quota" && text !== "") return showQuota(Number(text), display);
    if (options[name].type === "flag") {
      return text === "true" ? t("settings.on") : t("settings.off");
    }
    return text === "" ? t("settings.emptyValue") : text;
  }
}
