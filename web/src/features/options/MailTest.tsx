import { Send } from "lucide-react";
import { useId, useState } from "react";
import { useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useSendTestMail } from "./options.api.ts";

/** Sends a test e-mail with the saved mail settings, and shows the mail server's answer. */
export function MailTest() {
  const t = useT();
  const lang = useLanguage();
  const id = useId();
  const [email, setEmail] = useState("");
  const { mutateAsync: sendLetter, isPending } = useSendTestMail();

  async function test() {
    if (email.trim() === "") {
      toast({ tone: "warning", title: t("settings.mailTestMissing") });
      return;
    }
    try {
      await sendLetter({ email: email.trim(), lang });
      toast({ tone: "success", title: t("settings.mailTestSent", { email: email.trim() }) });
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {t("settings.mailTestTo")}
      </label>
      <div className="flex flex-wrap items-center gap-2">
        <div className="w-72 max-w-full">
          <Input
            id={id}
            type="email"
            value={email}
            aria-describedby={`${id}-help`}
            onChange={(event) => setEmail(event.target.value)}
          />
        </div>
        <Button
          loading={isPending}
          icon={<Send size={16} aria-hidden />}
          onClick={() => void test()}
        >
          {t("settings.mailTest")}
        </Button>
      </div>
      <p id={`${id}-help`} className="text-xs">
        <Muted>{t("settings.mailTestHelp")}</Muted>
      </p>
    </div>
  );
}
