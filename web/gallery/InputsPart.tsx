/** Fields in every state. */

import { useState } from "react";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { NumberInput } from "#ui/controls/NumberInput.tsx";
import { PasswordInput } from "#ui/controls/PasswordInput.tsx";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import { Slider } from "#ui/controls/Slider.tsx";
import { Switch } from "#ui/controls/Switch.tsx";
import { TagInput } from "#ui/controls/TagInput.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { Example, Examples, useSample } from "./Example.tsx";

export function InputsPart() {
  const s = useSample();
  const [search, setSearch] = useState("");
  const [found, setFound] = useState("gpt");
  const [amount, setAmount] = useState<number | null>(500_000);
  const [tags, setTags] = useState(["10.0.0.0/8", "192.168.1.20", "2001:db8::/32"]);
  const name = s("名称", "Name");
  return (
    <Examples>
      <Example title="empty">
        <Input aria-label={name} placeholder={s("例如：生产环境", "For example: production")} />
      </Example>
      <Example title="filled">
        <Input aria-label={name} defaultValue="wangmin1003" />
      </Example>
      <Example title="with prefix and suffix">
        <Input aria-label={name} prefix="$" suffix="/ 1M" defaultValue="12.50" />
      </Example>
      <Example title="invalid">
        <Input aria-label={name} invalid defaultValue="a b" />
      </Example>
      <Example title="disabled">
        <Input aria-label={name} disabled defaultValue="wangmin1003" />
      </Example>
      <Example title="password">
        <PasswordInput aria-label={s("密码", "Password")} defaultValue="correct horse" />
      </Example>
      <Example title="search, empty">
        <SearchInput
          value={search}
          onChange={setSearch}
          shortcut="/"
          placeholder={s("搜索 ID、用户名或邮箱", "Search ID, username or e-mail")}
        />
      </Example>
      <Example title="search, filled">
        <SearchInput
          value={found}
          onChange={setFound}
          placeholder={s("搜索模型", "Search models")}
        />
      </Example>
      <Example title="number">
        <NumberInput
          aria-label={s("额度", "Quota")}
          value={amount}
          onChange={setAmount}
          min={0}
          step={1000}
        />
      </Example>
      <Example title="number with unit, small steps">
        <NumberInput
          aria-label={s("价格", "Price")}
          value={0.000162}
          onChange={ignore}
          step={0.1}
          unit="$ / 1M"
        />
      </Example>
      <Example title="number, invalid">
        <NumberInput aria-label={s("额度", "Quota")} value={-1} onChange={ignore} invalid />
      </Example>
      <Example title="number, disabled">
        <NumberInput aria-label={s("额度", "Quota")} value={1} onChange={ignore} disabled />
      </Example>
      <Example title="text area">
        <Textarea
          aria-label={s("备注", "Note")}
          defaultValue={s("第一行\n第二行", "First line\nSecond line")}
        />
      </Example>
      <Example title="text area, fixed width, invalid">
        <Textarea aria-label="JSON" fixedWidth invalid defaultValue={'{\n  "gpt-4o": \n}'} />
      </Example>
      <Example title="tags">
        <TagInput
          aria-label={s("允许的地址", "Allowed addresses")}
          value={tags}
          onChange={setTags}
        />
      </Example>
      <Example title="tags, empty">
        <TagInput
          aria-label={s("标签", "Tags")}
          value={[]}
          onChange={ignore}
          placeholder={s("输入后按回车", "Type, then Enter")}
        />
      </Example>
      <Ticks />
    </Examples>
  );
}

function Ticks() {
  const s = useSample();
  const [ticked, setTicked] = useState(true);
  const [on, setOn] = useState(true);
  const [warmth, setWarmth] = useState(0.7);
  return (
    <>
      <Example title="checkboxes">
        <div className="flex flex-wrap gap-x-5">
          <Checkbox checked={ticked} onChange={setTicked} label={s("记住我", "Remember me")} />
          <Checkbox checked={false} onChange={ignore} label={s("未选", "Off")} />
          <Checkbox checked="mixed" onChange={ignore} label={s("部分", "Some")} />
          <Checkbox checked onChange={ignore} disabled label={s("禁用", "Disabled")} />
          <Checkbox checked={false} onChange={ignore} disabled label={s("禁用", "Disabled")} />
        </div>
      </Example>
      <Example title="switches">
        <div className="flex flex-wrap gap-x-5">
          <Switch checked={on} onChange={setOn} label={s("启用", "Enabled")} />
          <Switch checked={false} onChange={ignore} label={s("关闭", "Off")} />
          <Switch checked onChange={ignore} disabled label={s("禁用", "Disabled")} />
          <Switch checked={false} onChange={ignore} disabled label={s("禁用", "Disabled")} />
        </div>
      </Example>
      <Example title={`slider: ${warmth}`}>
        <Slider
          aria-label={s("温度", "Temperature")}
          value={warmth}
          onChange={setWarmth}
          min={0}
          max={2}
          step={0.1}
        />
      </Example>
    </>
  );
}

function ignore(): void {}
