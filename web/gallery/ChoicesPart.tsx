/** Switches, checkboxes and selects in every state. */

import { Cloud, Server } from "lucide-react";
import { useState } from "react";
import { Combobox } from "#ui/controls/Combobox.tsx";
import type { Item } from "#ui/controls/item.ts";
import { MultiCombobox } from "#ui/controls/MultiCombobox.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { Example, Examples, useSample } from "./Example.tsx";

const many: readonly Item[] = Array.from({ length: 2_000 }, (_, index) => ({
  value: `model-${index + 1}`,
  label: `model-${String(index + 1).padStart(4, "0")}`,
}));

export function ChoicesPart() {
  const s = useSample();
  const [model, setModel] = useState<string | null>("gpt-4o");
  const [free, setFree] = useState<string | null>("my-own-model");
  const [one, setOne] = useState<string | null>("model-1200");
  const [chosen, setChosen] = useState(["gpt-4o", "claude-opus-4", "o9-preview"]);
  const [none, setNone] = useState<string[]>([]);
  const [unit, setUnit] = useState("1m");
  const models = [
    { value: "gpt-4o", label: "gpt-4o", hint: "OpenAI" },
    { value: "gpt-4o-mini", label: "gpt-4o-mini", hint: "OpenAI" },
    { value: "claude-opus-4", label: "claude-opus-4", hint: "Anthropic" },
    { value: "gemini-2.5-pro", label: "gemini-2.5-pro", hint: "Google" },
  ];
  const modelName = s("模型", "Model");
  return (
    <Examples>
      <Selects />
      <Example title="combobox, clearable">
        <Combobox
          aria-label={modelName}
          items={models}
          value={model}
          onChange={setModel}
          clearable
        />
      </Example>
      <Example title="combobox, any text">
        <Combobox aria-label={modelName} items={models} value={free} onChange={setFree} creatable />
      </Example>
      <Example title="combobox, 2,000 items">
        <Combobox
          aria-label={modelName}
          items={many}
          value={one}
          onChange={setOne}
          placeholder={modelName}
        />
      </Example>
      <Example title="combobox, loading; disabled">
        <div className="grid grid-cols-2 gap-2">
          <Combobox
            aria-label={modelName}
            items={[]}
            value={null}
            onChange={ignore}
            onSearch={ignore}
            loading
            placeholder={modelName}
          />
          <Combobox
            aria-label={modelName}
            items={models}
            value="gpt-4o"
            onChange={ignore}
            disabled
          />
        </div>
      </Example>
      <Example title="many, any text">
        <MultiCombobox
          aria-label={modelName}
          items={models}
          value={chosen}
          onChange={setChosen}
          creatable
        />
      </Example>
      <Example title="many, 2,000 items">
        <MultiCombobox
          aria-label={modelName}
          items={many}
          value={none}
          onChange={setNone}
          placeholder={s("选择模型", "Choose models")}
        />
      </Example>
      <Example title="segmented">
        <Segmented
          aria-label={s("单位", "Unit")}
          items={[
            { value: "1k", label: "1K" },
            { value: "1m", label: "1M" },
            { value: "raw", label: s("原始", "Raw") },
          ]}
          value={unit}
          onChange={setUnit}
        />
      </Example>
    </Examples>
  );
}

function Selects() {
  const s = useSample();
  const [status, setStatus] = useState<string | null>(null);
  const [kind, setKind] = useState("cloud");
  const statuses = [
    { value: "on", label: s("已启用", "Enabled") },
    { value: "off", label: s("已禁用", "Disabled"), hint: s("手动", "By hand") },
    { value: "auto", label: s("自动禁用", "Disabled automatically") },
    { value: "gone", label: s("已删除", "Deleted"), disabled: true },
  ];
  const kinds = [
    { value: "cloud", label: s("云服务", "Cloud"), icon: <Cloud size={16} aria-hidden /> },
    { value: "own", label: s("自建", "Self-hosted"), icon: <Server size={16} aria-hidden /> },
  ];
  const statusName = s("状态", "Status");
  return (
    <>
      <Example title="select, empty">
        <Select
          aria-label={statusName}
          items={statuses}
          value={status}
          onChange={setStatus}
          placeholder={statusName}
        />
      </Example>
      <Example title="select with icons">
        <Select aria-label={s("类型", "Type")} items={kinds} value={kind} onChange={setKind} />
      </Example>
      <Example title="select, invalid; disabled">
        <div className="grid grid-cols-2 gap-2">
          <Select
            aria-label={statusName}
            items={statuses}
            value={null}
            onChange={setStatus}
            placeholder={statusName}
            invalid
          />
          <Select
            aria-label={statusName}
            items={statuses}
            value="on"
            onChange={setStatus}
            disabled
          />
        </div>
      </Example>
    </>
  );
}

function ignore(): void {}
