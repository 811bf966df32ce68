import type { Generated } from "kysely";

/**
 * The audit log: who did what to whom, chained by hash. Rows are only appended. Written by
 * `modules/audit` only.
 */
export type AuditTable = {
  id: Generated<number>;
  /** Unix seconds. */
  created_at: number;
  /** 0: the system itself. */
  actor_id: number;
  actor_name: string;
  client_ip: string;
  /** For example `token.reveal`, `channel.update`, `user.manage`. */
  action: string;
  /** For example `token:17`. */
  target: string;
  /**
   * JSON text of the values before and after the change; secrets only as fingerprints. `""`:
   * nothing to add.
   */
  detail: string;
  /** The kind of the row whose new state the entry proves; empty: it proves none. */
  row_kind: Generated<string>;
  row_id: Generated<number>;
  /** JSON text of the row's columns after the change, see `modules/audit/noted-rows.ts`. */
  row_state: Generated<string>;
  /** Hex SHA-256 over the previous row's hash and the fields above. */
  hash: string;
};
