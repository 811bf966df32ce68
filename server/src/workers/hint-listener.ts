/** Hears what other nodes tell by PostgreSQL, on a connection of its own. */

import { Client } from "pg";
import { hintChannel } from "#db/hints.ts";

/** The pause between two tries to connect, in milliseconds. */
const retryMs = 2_000;

/**
 * Listens until it is closed, and connects again whenever the connection is lost: what is told
 * meanwhile is found by the poll.
 *
 * @param heard gets the text of each hint.
 */
export function listenForHints(url: string, heard: (text: string) => void): { close(): void } {
  let client: Client | null = null;
  let isClosed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  async function connect(): Promise<void> {
    const made = new Client({
      connectionString: url,
      application_name: "tollgate-hints",
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    client = made;
    let isLost = false;
    const lost = (): void => {
      if (isLost) return;
      isLost = true;
      void made.end().catch(() => undefined);
      if (!isClosed) retry = setTimeout(() => void connect(), retryMs);
    };
    made.on("error", lost);
    made.on("end", lost);
    made.on("notification", ({ payload }) => {
      if (payload !== undefined) heard(payload);
    });
    try {
      await made.connect();
      await made.query(`listen ${hintChannel}`);
    } catch {
      lost();
    }
  }

  void connect();
  return {
    close() {
      isClosed = true;
      clearTimeout(retry);
      void client?.end().catch(() => undefined);
    },
  };
}
