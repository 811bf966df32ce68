/** Dialogs, sheets and menus in every state. */

import { Copy, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "#ui/controls/Button.tsx";
import { Combobox } from "#ui/controls/Combobox.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { DateTimePicker } from "#ui/date/DateTimePicker.tsx";
import { CopyFallbackDialog } from "#ui/overlays/CopyFallbackDialog.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";
import { Popover } from "#ui/overlays/Popover.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { Tooltip } from "#ui/overlays/Tooltip.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { Example, Examples, useSample } from "./Example.tsx";

export function OverlaysPart() {
  const s = useSample();
  const confirm = useConfirm();
  const [open, setOpen] = useState<"sheet" | "dialog" | "copy" | null>(null);
  const [answer, setAnswer] = useState("");
  const close = () => setOpen(null);
  return (
    <Examples>
      <Example title="sheet, dialog">
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setOpen("sheet")}>{s("打开侧栏", "Open sheet")}</Button>
          <Button onClick={() => setOpen("dialog")}>{s("打开对话框", "Open dialog")}</Button>
          <Button onClick={() => setOpen("copy")}>{s("手动复制", "Copy by hand")}</Button>
        </div>
        <SampleSheet open={open === "sheet"} onClose={close} />
        <Dialog
          open={open === "dialog"}
          onClose={close}
          title={s("测试渠道", "Test channel")}
          description={s("向上游发送一次最小的请求", "Sends the smallest request upstream")}
          footer={<Button onClick={close}>{s("完成", "Done")}</Button>}
        >
          {s("响应 200，耗时 812 ms。", "Answered 200 in 812 ms.")}
        </Dialog>
        <CopyFallbackDialog
          text={open === "copy" ? "sk-tollgate-0123456789abcdef0123456789abcdef" : null}
          onClose={close}
        />
      </Example>
      <Example title={`confirm ${answer}`}>
        <div className="flex flex-wrap gap-2">
          <Button
            onClick={() =>
              void confirm({
                title: s("离开此页？", "Leave this page?"),
                body: s("未保存的修改会丢失。", "What is not saved will be lost."),
                confirmLabel: s("离开", "Leave"),
              }).then((yes) => setAnswer(String(yes)))
            }
          >
            {s("提问", "Ask")}
          </Button>
          <Button
            variant="danger"
            onClick={() =>
              void confirm({
                title: s("删除用户 wangmin1003？", "Delete user wangmin1003?"),
                body: s("令牌立即失效，且无法恢复。", "Its tokens stop at once. No way back."),
                confirmLabel: s("删除", "Delete"),
                tone: "danger",
                typed: "wangmin1003",
              }).then((yes) => setAnswer(String(yes)))
            }
          >
            {s("删除", "Delete")}
          </Button>
        </div>
      </Example>
      <Example title="menu, popover, tooltip">
        <div className="flex flex-wrap gap-2">
          <SampleMenu />
          <Popover title={s("说明", "About")} trigger={<Button>{s("浮层", "Popover")}</Button>}>
            <p className="w-60 text-sm">
              {s("一个小面板，按 Esc 关闭。", "A small panel. Escape closes it.")}
            </p>
          </Popover>
          <Tooltip content={s("2026-11-21 14:57:44（UTC+08:00）", "21 Nov 2026, 14:57:44")}>
            <Button variant="ghost">{s("3 分钟前", "3 min ago")}</Button>
          </Tooltip>
        </div>
      </Example>
      <Example title="toasts">
        <Toasts />
      </Example>
    </Examples>
  );
}

function SampleMenu() {
  const s = useSample();
  return (
    <Menu
      align="start"
      trigger={
        <IconButton
          label={s("更多操作", "More")}
          variant="default"
          icon={<Ellipsis size={16} aria-hidden />}
        />
      }
      items={[
        {
          key: "edit",
          label: s("编辑", "Edit"),
          icon: <Pencil size={16} aria-hidden />,
          onSelect: ignore,
        },
        {
          key: "copy",
          label: s("复制为新项", "Duplicate"),
          icon: <Copy size={16} aria-hidden />,
          disabled: s("已达上限", "The limit is reached"),
          onSelect: ignore,
        },
        "separator",
        {
          key: "delete",
          label: s("删除", "Delete"),
          icon: <Trash2 size={16} aria-hidden />,
          tone: "danger",
          onSelect: ignore,
        },
      ]}
    />
  );
}

function Toasts() {
  const s = useSample();
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => toast({ tone: "success", title: s("已保存", "Saved") })}>
        success
      </Button>
      <Button
        onClick={() =>
          toast({
            tone: "neutral",
            title: s("令牌“生产”已删除", "Token “production” deleted"),
            action: { label: s("撤销", "Undo"), onClick: ignore },
            durationMs: 6_000,
          })
        }
      >
        action
      </Button>
      <Button
        onClick={() =>
          toast({
            tone: "warning",
            title: s("14 项中修改了 12 项", "12 of 14 changed"),
            description: s("2 项没有权限", "2 are not yours"),
          })
        }
      >
        warning
      </Button>
      <Button onClick={() => toastError(new Error(s("上游没有响应", "No answer from upstream")))}>
        error
      </Button>
    </div>
  );
}

function SampleSheet(props: { open: boolean; onClose: () => void }) {
  const s = useSample();
  const confirm = useConfirm();
  const [group, setGroup] = useState<string>("vip");
  const [expiry, setExpiry] = useState<number | null>(null);
  const groups = ["default", "vip", "svip", "enterprise"].map((value) => ({
    value,
    label: value,
  }));
  const name = s("用户名", "Username");
  const groupName = s("分组", "Group");
  return (
    <Sheet
      open={props.open}
      onClose={props.onClose}
      title={s("编辑用户", "Edit user")}
      description="liujia1001"
      footer={
        <>
          <Button onClick={props.onClose}>{s("取消", "Cancel")}</Button>
          <Button variant="primary" onClick={props.onClose}>
            {s("保存", "Save")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Input aria-label={name} defaultValue="liujia1001" />
        <Select aria-label={groupName} items={groups} value={group} onChange={setGroup} />
        <Combobox aria-label={groupName} items={groups} value={group} onChange={setGroup} />
        <DateTimePicker
          aria-label={s("过期时间", "Expiry")}
          value={expiry}
          onChange={setExpiry}
          placeholder={s("永不过期", "Never")}
        />
        <Button
          onClick={() =>
            void confirm({
              title: s("重置密码？", "Reset the password?"),
              confirmLabel: s("重置", "Reset"),
              tone: "danger",
            })
          }
        >
          {s("重置密码", "Reset password")}
        </Button>
        {Array.from({ length: 12 }, (_, row) => (
          <Input key={row} aria-label={`${name} ${row}`} placeholder={`${name} ${row + 1}`} />
        ))}
      </div>
    </Sheet>
  );
}

function ignore(): void {}
