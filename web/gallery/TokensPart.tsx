/** Colours, sizes and type. */

import { Badge } from "#ui/feedback/Badge.tsx";
import { type Tone, toneInk, toneLine, toneSoft, toneSolid } from "#ui/tone.ts";
import { Example, Examples } from "./Example.tsx";

const tones: readonly Tone[] = ["neutral", "accent", "success", "warning", "danger", "info"];
const grounds = [
  ["page", "bg-page"],
  ["panel", "bg-panel"],
  ["sunken", "bg-sunken"],
  ["field", "bg-field"],
  ["hover", "bg-hover"],
  ["active", "bg-active"],
] as const;

export function TokensPart() {
  return (
    <Examples>
      <Example title="grounds with ink, muted, faint" wide>
        <div className="grid grid-cols-2 gap-2 md:grid-cols-6">
          {grounds.map(([name, look]) => (
            <div key={name} className={`rounded border border-line p-3 ${look}`}>
              <div>{name}</div>
              <div className="text-muted">muted 次要</div>
              <div className="text-faint">faint 占位</div>
            </div>
          ))}
        </div>
      </Example>
      <Example title="tones: soft ground, line, ink, solid" wide>
        <div className="grid grid-cols-2 gap-2 md:grid-cols-6">
          {tones.map((tone) => (
            <div
              key={tone}
              className={`flex items-center justify-between rounded border p-3 ${toneSoft[tone]} ${toneLine[tone]}`}
            >
              {tone}
              <span className={`size-4 rounded-full ${toneSolid[tone]}`} />
            </div>
          ))}
        </div>
        <p className="mt-2 flex flex-wrap gap-4">
          {tones.map((tone) => (
            <span key={tone} className={toneInk[tone]}>
              {tone} 123.45
            </span>
          ))}
        </p>
      </Example>
      <Example title="text sizes" wide>
        <p className="text-3xl font-semibold">28 网关 Gateway 1,234.56</p>
        <p className="text-2xl font-semibold">22 网关 Gateway 1,234.56</p>
        <p className="text-xl font-semibold">18 网关 Gateway 1,234.56</p>
        <p className="text-lg font-medium">16 网关 Gateway 1,234.56</p>
        <p className="text-base">14 网关 Gateway 1,234.56</p>
        <p className="text-sm">13 网关 Gateway 1,234.56</p>
        <p className="text-xs">12 网关 Gateway 1,234.56</p>
        <p className="font-mono text-sm">13 sk-0O1lI 网关 {"{}"} =&gt; 1,234.56</p>
      </Example>
      <Example title="on a chosen row" wide>
        <div className="flex flex-wrap items-center gap-3 rounded bg-active p-3">
          Chosen <span className="text-muted">muted</span>
          {tones.map((tone) => (
            <Badge key={tone} tone={tone}>
              {tone}
            </Badge>
          ))}
        </div>
      </Example>
    </Examples>
  );
}
