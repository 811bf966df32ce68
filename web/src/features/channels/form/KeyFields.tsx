import type { Channel } from "@tollgate/contract/endpoints/channels.ts";
import { channelKeysMax } from "@tollgate/contract/fields/channel-fields.ts";
import {
  hintOfKey,
  nameOfJsonKey,
  type PastedKey,
  type PastedKeys,
  readPastedKeys,
} from "@tollgate/contract/fields/channel-keys.ts";
import { type ClipboardEvent, useEffect, useState } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { PasswordInput } from "#ui/controls/PasswordInput.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Switch } from "#ui/controls/Switch.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Field } from "#ui/form/Field.tsx";
import { findKnownKeys, type KnownKeys } from "#features/channels/channels.api.ts";
import { providerText } from "#widgets/channels/provider-text.ts";
import { F, useChosenType } from "./channel-fields.ts";
import type { ChannelType } from "./channel-form.ts";

/**
 * The channel's keys: either one masked key, or several, one per line, with a preview of the
 * channels or keys that they become.
 */
export function KeyFields(props: { types: readonly ChannelType[]; record: Channel | undefined }) {
  const { types, record } = props;
  const t = useT();
  const type = useChosenType(types);
  const [many, setMany] = useState(false);
  const preview = readPastedKeys(F.useValue("key"));
  const form = type === undefined ? "" : providerText(type.key_form, t);
  const kept = record === undefined ? "" : keptText(record, t);
  const help = [form, kept].filter((text) => text !== "").join(" · ");
  return (
    <div className="flex flex-col gap-2">
      {/* This field is not made by `F`, because the form's drafts store the fields of `F` in the
          browser, and a key is a secret. */}
      <Field
        name="key"
        label={t("channels.key")}
        required={record === undefined}
        secret
        {...(help === "" ? {} : { help })}
      >
        {({ value, onChange, ...control }) =>
          many ? (
            <Textarea
              {...control}
              rows={6}
              fixedWidth
              spellCheck={false}
              placeholder={t("channels.keysPlaceholder")}
              value={String(value)}
              onChange={(event) => onChange(event.target.value)}
            />
          ) : (
            <PasswordInput
              {...control}
              autoComplete="new-password"
              placeholder={
                record === undefined ? t("channels.keyPlaceholder") : t("channels.keyKeep")
              }
              value={String(value)}
              onChange={(event) => onChange(event.target.value)}
              onPaste={(event) => {
                const text = pastedLines(event);
                if (text === null) return;
                event.preventDefault();
                setMany(true);
                onChange(text);
              }}
            />
          )
        }
      </Field>
      <Switch
        label={t("channels.manyKeys")}
        checked={many}
        disabled={many && needsLines(preview)}
        onChange={setMany}
      />
      {many && <KeysOutcome preview={preview} isNew={record === undefined} />}
      <KnownKeysNote keys={preview.keys} ownId={record?.id} />
    </div>
  );
}

/**
 * Returns the pasted text if it has several lines, which a one-line input would join; null: it has
 * one line.
 */
function pastedLines(event: ClipboardEvent): string | null {
  const text = event.clipboardData.getData("text").trim();
  return /[\r\n]/.test(text) ? text : null;
}

/** How many keys are listed; of the others only the number is shown. */
const shownMax = 5;

/** Whether the typed text cannot be shown in a one-line input. */
function needsLines({ keys, broken }: PastedKeys): boolean {
  return keys.length > 1 || broken.length > 0 || keys.some(({ isJson }) => isJson);
}

/** A JSON key is shown by the name in it, if it has one. */
function shownKey({ text, isJson }: PastedKey): string {
  return (isJson && nameOfJsonKey(text)) || hintOfKey(text);
}

/** Says what the typed keys become, before anything is saved. */
function KeysOutcome({ preview, isNew }: { preview: PastedKeys; isNew: boolean }) {
  const { keys, broken } = preview;
  const t = useT();
  const count = keys.length;
  const isEach = F.useValue("keyUse") === "channels";
  if (count + broken.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 text-xs" role="status">
      {isNew && count > 1 && (
        <F.Custom name="keyUse" label={t("channels.keyUse")} grouped>
          {({ value, onChange }) => (
            <Segmented
              aria-label={t("channels.keyUse")}
              value={value}
              onChange={onChange}
              items={[
                { value: "channels", label: t("channels.keyEach") },
                { value: "keys", label: t("channels.keyTogether") },
              ]}
            />
          )}
        </F.Custom>
      )}
      <span className="font-medium">
        {isNew && isEach ? t("channels.willCreate", { count }) : t("channels.willHold", { count })}
      </span>
      <ol className="flex flex-wrap gap-x-3 gap-y-1 font-mono">
        {keys.slice(0, shownMax).map((key, index) => (
          <li key={key.text} className="min-w-0 break-all">
            <Muted>
              {index + 1}. {shownKey(key)}
            </Muted>
          </li>
        ))}
        {count > shownMax && (
          <li>
            <Muted>{t("channels.keysMore", { count: count - shownMax })}</Muted>
          </li>
        )}
      </ol>
      <KeyFindings preview={preview} />
      {count > channelKeysMax && (
        <Banner tone="danger" title={t("channels.keysTooMany", { max: channelKeysMax })} />
      )}
    </div>
  );
}

/** Names the lines of a paste that are not plain new keys: blank, repeated, JSON, broken. */
function KeyFindings({ preview }: { preview: PastedKeys }) {
  const { keys, duplicates, blanks, broken } = preview;
  const t = useT();
  const documents = keys.filter(({ isJson }) => isJson);
  const and = t("channels.listSeparator");
  const linesOf = (lines: readonly number[]) =>
    lines
      .slice(0, shownMax)
      .map((line) => t("channels.keyLine", { line }))
      .join(and) + (lines.length > shownMax ? "…" : "");
  return (
    <>
      {blanks > 0 && <Muted>{t("channels.keysBlank", { count: blanks })}</Muted>}
      {documents.length > 0 && (
        <Muted>
          {t("channels.keysJson", { count: documents.length })}{" "}
          {linesOf(documents.map(({ line }) => line))}
        </Muted>
      )}
      {duplicates.length > 0 && (
        <Banner tone="warning" title={t("channels.keysDuplicate", { count: duplicates.length })}>
          {duplicates
            .slice(0, shownMax)
            .map(({ line, first }) => t("channels.keyDuplicate", { line, first }))
            .join(and)}
        </Banner>
      )}
      {broken.length > 0 && (
        <Banner tone="danger" title={t("channels.keysBroken", { lines: broken.join(", ") })} />
      )}
    </>
  );
}

/** How long to wait after the last key that is typed, in milliseconds. */
const typingMs = 400;

/**
 * Asks which channels already have some of the typed keys, once typing pauses. If the question
 * fails, nothing is known.
 */
function useKnownKeys(keys: readonly string[]): KnownKeys {
  const [known, setKnown] = useState<{ of: string; found: KnownKeys }>({ of: "", found: [] });
  // A text, because the list is a new one at each drawing.
  const text = JSON.stringify(keys.slice(0, channelKeysMax));
  useEffect(() => {
    const asked = z.array(z.string()).parse(JSON.parse(text));
    if (asked.length === 0) return undefined;
    const cancellation = new AbortController();
    const timer = setTimeout(() => {
      findKnownKeys(asked, cancellation.signal).then(
        (found) => setKnown({ of: text, found }),
        () => undefined,
      );
    }, typingMs);
    return () => {
      clearTimeout(timer);
      cancellation.abort();
    };
  }, [text]);
  return known.of === text ? known.found : [];
}

/** Names the keys that other channels already have. They may be saved all the same. */
function KnownKeysNote(props: { keys: readonly PastedKey[]; ownId: number | undefined }) {
  const { keys, ownId } = props;
  const t = useT();
  const known = useKnownKeys(keys.map(({ text }) => text)).flatMap(({ at, channels }) => {
    const key = keys[at];
    const others = channels.filter(({ id }) => id !== ownId);
    return key === undefined || others.length === 0 ? [] : [{ key, others }];
  });
  if (known.length === 0) return null;
  return (
    <Banner tone="warning" title={t("channels.keysKnown", { count: known.length })}>
      <ul>
        {known.slice(0, shownMax).map(({ key, others }) => (
          <li key={key.text} className="wrap-anywhere">
            <span className="font-mono">{shownKey(key)}</span>{" "}
            {others.map(({ id, name }) => `${name} #${id}`).join(t("channels.listSeparator"))}
          </li>
        ))}
        {known.length > shownMax && (
          <li>{t("channels.keysMore", { count: known.length - shownMax })}</li>
        )}
      </ul>
    </Banner>
  );
}

function keptText({ key_count: count, key_hints }: Channel, t: ReturnType<typeof useT>): string {
  if (count === 0) return t("channels.noKeyKept");
  const hints = key_hints.slice(0, shownMax).join(t("channels.listSeparator"));
  return t("channels.keyKept", { count, hints });
}
