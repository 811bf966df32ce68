import { Bell, BellDot } from "lucide-react";
import { lazy, Suspense } from "react";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { openNotice, useNotice, useNoticeReading } from "./notice.ts";

const NoticeDialog = lazy(async () => ({
  default: (await import("./NoticeDialog.tsx")).NoticeDialog,
}));

/** The bell button that opens root's notice; absent if there is no notice. */
export function NoticeBell() {
  const t = useT();
  const { text, isUnread, isShown } = useNotice();
  useNoticeReading();
  if (text === "") return null;
  return (
    <>
      <IconButton
        label={isUnread ? t("shell.noticeUnread") : t("shell.notice")}
        icon={isUnread ? <BellDot size={16} aria-hidden /> : <Bell size={16} aria-hidden />}
        onClick={openNotice}
      />
      <Suspense>{isShown && <NoticeDialog text={text} />}</Suspense>
    </>
  );
}
