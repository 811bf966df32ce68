import { timeLimitsDefault } from "@tollgate/contract/fields/channel-fields.ts";
import type { TextKey } from "#i18n/t.ts";
import { useT } from "#i18n/t.ts";
import { Input } from "#ui/controls/Input.tsx";
import { EditorCheck } from "#ui/editor/EditorCheck.tsx";
import { JsonEditor } from "#ui/editor/JsonEditor.tsx";
import { MappingEditor } from "#ui/editor/MappingEditor.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Field } from "#ui/form/Field.tsx";
import { F, useChosenType } from "./channel-fields.ts";
import type { ChannelType } from "./channel-form.ts";
import { keyLimitNames, settingNotes, timeLimitNames } from "./channel-setting.ts";
import {
  checkHeaders,
  checkOverride,
  checkStatusCodes,
  examples,
} from "#widgets/channels/mapping-check.ts";

const limitLabels = {
  connectMs: "channels.connectMs",
  firstByteMs: "channels.firstByteMs",
  betweenChunksMs: "channels.betweenChunksMs",
  totalMs: "channels.totalMs",
} as const satisfies Record<(typeof timeLimitNames)[number], TextKey>;

const keyLimitLabels = {
  key_calls: "channels.keyCalls",
  key_requests: "channels.keyRequests",
  key_tokens: "channels.keyTokens",
} as const satisfies Record<(typeof keyLimitNames)[number], TextKey>;

/** The fields of the channel sheet that only few channels need. */
export function AdvancedFields({ types }: { types: readonly ChannelType[] }) {
  const t = useT();
  const type = useChosenType(types);
  const wire = F.useValue("wire");
  const wires = type?.wires ?? [];
  return (
    <>
      <F.Text
        name="openai_organization"
        label={t("channels.organization")}
        help={t("channels.organizationHelp")}
        placeholder="org-…"
        spellCheck={false}
      />
      {(wires.length > 1 || wire !== "") && (
        <F.Select
          name="wire"
          label={t("channels.wire")}
          help={t("channels.wireHelp")}
          items={[
            { value: "", label: t("channels.wireAny") },
            ...wires.map((name) => ({ value: name, label: name })),
          ]}
        />
      )}
      <RewritingFields />
      <ConnectionFields />
      <F.Select
        name="conversations"
        label={t("channels.conversations")}
        help={t("channels.conversationsHelp")}
        items={[
          { value: "usual", label: t("channels.conversationsUsual") },
          { value: "on", label: t("channels.conversationsOn") },
          { value: "off", label: t("channels.conversationsOff") },
        ]}
      />
      <F.Switch
        name="cache_marks"
        label={t("channels.cacheMarks")}
        help={t("channels.cacheMarksHelp")}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        {keyLimitNames.map((name) => (
          <F.Number
            key={name}
            name={name}
            label={t(keyLimitLabels[name])}
            placeholder={t("channels.keyLimitNone")}
          />
        ))}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        {timeLimitNames.map((name) => (
          <F.Number
            key={name}
            name={name}
            label={t(limitLabels[name])}
            unit={t("channels.ms")}
            placeholder={String(timeLimitsDefault[name])}
            step={1_000}
          />
        ))}
      </div>
      <F.Json
        name="other_settings"
        label={t("channels.otherSettings")}
        help={t("channels.otherSettingsHelp")}
        height={140}
      />
      {settingNotes(F.useValue("other_settings"), t).map((note) => (
        <Banner key={note} tone="warning" title={note} />
      ))}
    </>
  );
}

/** What the gateway changes in calls through this channel, and in their answers. */
function RewritingFields() {
  const t = useT();
  return (
    <>
      <F.Textarea
        name="system_prompt"
        label={t("channels.systemPrompt")}
        help={t("channels.systemPromptHelp")}
        rows={3}
      />
      <F.Switch
        name="thinking_to_content"
        label={t("channels.thinkingToContent")}
        help={t("channels.thinkingToContentHelp")}
      />
      <F.Select
        name="reasoning_field"
        label={t("channels.reasoningField")}
        help={t("channels.reasoningFieldHelp")}
        items={[
          { value: "provider", label: t("channels.reasoningFieldProvider") },
          {
            value: "reasoning_content",
            label: t("channels.reasoningFieldNamed", { name: "reasoning_content" }),
          },
          { value: "reasoning", label: t("channels.reasoningFieldNamed", { name: "reasoning" }) },
          { value: "none", label: t("channels.reasoningFieldNone") },
        ]}
      />
      <F.Switch
        name="force_format"
        label={t("channels.forceFormat")}
        help={t("channels.forceFormatHelp")}
      />
      <F.Custom
        name="status_code_mapping"
        label={t("channels.statusCodes")}
        help={t("channels.statusCodesHelp")}
        grouped
      >
        {(control) => (
          <MappingEditor
            {...control}
            label={t("channels.statusCodes")}
            keyLabel={t("channels.statusFrom")}
            valueLabel={t("channels.statusTo")}
            check={(text) => checkStatusCodes(text, t)}
            example={examples.status_code_mapping}
          />
        )}
      </F.Custom>
      <F.Custom
        name="param_override"
        label={t("channels.paramOverride")}
        help={t("channels.paramOverrideHelp")}
        grouped
      >
        {({ value, onChange, id, invalid }) => (
          <div className="flex flex-col gap-1">
            <JsonEditor
              {...{ id, invalid, value, onChange }}
              label={t("channels.paramOverride")}
              height={140}
            />
            <EditorCheck
              {...{ value, onChange }}
              label={t("channels.paramOverride")}
              check={checkOverride(value, t)}
              example={examples.param_override}
            />
          </div>
        )}
      </F.Custom>
    </>
  );
}

/**
 * How requests reach the upstream, and how far its answers are believed. Proxy and headers are not
 * made by `F`, because the form's drafts store the fields of `F` in the browser, and both may
 * contain secrets.
 */
function ConnectionFields() {
  const t = useT();
  return (
    <>
      <Field name="proxy" label={t("channels.proxy")} help={t("channels.proxyHelp")} secret>
        {({ value, onChange, ...control }) => (
          <Input
            {...control}
            autoComplete="off"
            spellCheck={false}
            placeholder="socks5://user:password@host:1080"
            value={String(value)}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      <Field
        name="header_override"
        label={t("channels.headers")}
        help={t("channels.headersHelp")}
        secret
        grouped
      >
        {({ value, onChange, id, invalid }) => (
          <MappingEditor
            {...{ id, invalid, onChange }}
            value={String(value)}
            label={t("channels.headers")}
            keyLabel={t("channels.headerName")}
            valueLabel={t("channels.headerValue")}
            check={(text) => checkHeaders(text, t)}
            example={examples.header_override}
          />
        )}
      </Field>
      <F.Select
        name="usage_trust"
        label={t("channels.usageTrust")}
        help={t("channels.usageTrustHelp")}
        items={[
          { value: "limit", label: t("channels.usageTrustLimit") },
          { value: "visible", label: t("channels.usageTrustVisible") },
        ]}
      />
      <F.Switch
        name="shares_ids"
        label={t("channels.sharesIds")}
        help={t("channels.sharesIdsHelp")}
      />
      <F.Switch
        name="stream_results"
        label={t("channels.streamResults")}
        help={t("channels.streamResultsHelp")}
      />
    </>
  );
}
