import { useState } from "react";
import type { SignInAnswer } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { describeFailure } from "#widgets/server/server-message.ts";
import { WeChatPicture } from "#widgets/sign-in/WeChatPicture.tsx";
import { keepLastMethod } from "./last-method.ts";
import { signInByWeChat } from "./oauth.api.ts";

/**
 * Sign-in by WeChat: the user sends a keyword to the operator's official WeChat account, which
 * answers with a code to type here.
 */
export function WeChatDialog(props: {
  readonly open: boolean;
  /** The address of the official account's QR code; empty: root has set none. */
  readonly picture: string;
  readonly onClose: () => void;
  readonly onAnswer: (answer: SignInAnswer) => void;
}) {
  const { open, picture, onClose, onAnswer } = props;
  const t = useT();
  const [code, setCode] = useState("");
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);

  async function submit() {
    if (isSending) return;
    if (code.trim() === "") {
      setFault(t("entry.codeRequired"));
      return;
    }
    setSending(true);
    setFault(undefined);
    try {
      const answer = await signInByWeChat(code.trim());
      keepLastMethod("wechat");
      onAnswer(answer);
    } catch (error) {
      setFault(describeFailure(error, t).title);
    } finally {
      setSending(false);
    }
  }

  return (
    <Dialog
      open={open}
      onClose={onClose}
      width="sm"
      title={t("entry.weChatTitle")}
      description={t("entry.weChatHow")}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <WeChatPicture picture={picture} />
        <FieldFrame name="code" label={t("entry.code")} error={fault}>
          {(control) => (
            <Input
              {...control}
              name="code"
              autoComplete="one-time-code"
              spellCheck={false}
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          )}
        </FieldFrame>
        <Button variant="primary" type="submit" loading={isSending}>
          {t("signIn.submit")}
        </Button>
      </form>
    </Dialog>
  );
}
