import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { chatLinks } from "#widgets/chat/chat-links.ts";

type Configured = Pick<Status, "chats" | "chat_link" | "chat_link2">;

/**
 * Finds the index of the chat client that an address of the console shows; null: there is no such
 * client. `/chat` shows the first client that is a web page, `/chat2link` the second.
 */
export function chosenChat(path: string, { chats, chat_link, chat_link2 }: Configured) {
  const links = chatLinks(chats);
  const placeOf = (address: string): number => {
    const place = links.findIndex(({ template }) => template === address);
    return Math.max(0, place);
  };
  const [, screen, id] = path.split("/");
  if (screen === "chat2link") return placeOf(chat_link2);
  if (id === undefined || id === "") return placeOf(chat_link);
  const place = /^\d{1,3}$/.test(id) ? Number(id) : links.length;
  return place < links.length ? place : null;
}
