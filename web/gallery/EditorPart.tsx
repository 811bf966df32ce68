/** The JSON editor in every state. */

import { useState } from "react";
import { JsonEditor } from "#ui/editor/JsonEditor.tsx";
import { KeyValueEditor } from "#ui/editor/KeyValueEditor.tsx";
import { Example, Examples, useSample } from "./Example.tsx";

export function EditorPart() {
  const s = useSample();
  const [good, setGood] = useState('{\n  "shelf": "b",\n  "copies": 3\n}');
  const [broken, setBroken] = useState('{\n  "shelf": "b",\n  "copies": 3,,\n}');
  const [pairs, setPairs] = useState<[string, string][]>([
    ["red", "红"],
    ["red", "赤"],
    ["blue", "蓝"],
  ]);
  const [none, setNone] = useState<[string, string][]>([]);
  const label = s("内容", "Content");
  const columns = { keyLabel: s("名称", "Name"), valueLabel: s("值", "Value") };
  return (
    <Examples>
      <Example title="JSON">
        <JsonEditor label={label} value={good} onChange={setGood} />
      </Example>
      <Example title="JSON, broken">
        <JsonEditor label={label} value={broken} onChange={setBroken} invalid />
      </Example>
      <Example title="pairs, one name twice">
        <KeyValueEditor {...columns} value={pairs} onChange={(next) => setPairs([...next])} />
      </Example>
      <Example title="pairs, none">
        <KeyValueEditor {...columns} value={none} onChange={(next) => setNone([...next])} />
      </Example>
    </Examples>
  );
}
