import type { Generated } from "kysely";

/** Users. Their money is in `ledger.ts`. Written by `modules/users` only. */
export type UserTable = {
  id: Generated<number>;
  /** Unique among all users, deleted ones included. */
  username: string;
  /** The name as `foldText` folds it; unique. Null: an older account has the same folded name. */
  username_key: string | null;
  /** Argon2id, or bcrypt for an imported user until the next sign-in. */
  password_hash: string;
  /** 1: somebody else chose the password, so the user must change it first; else 0. */
  password_expired: Generated<number>;
  display_name: string;
  /** Language of e-mails and notices, `en` or `zh`; empty: not known yet. */
  language: Generated<string>;
  /** 1 user, 10 admin, 100 root. */
  role: number;
  /** 1 enabled, 2 disabled, 3 disabled, cannot be enabled. */
  status: number;
  email: string;
  github_id: string;
  oidc_id: string;
  wechat_id: string;
  telegram_id: string;
  linux_do_id: string;
  group: string;
  /** The user's own invite code; unique. */
  aff_code: string;
  /** The user who invited this one; 0: nobody. */
  inviter_id: number;
  /** Keyed hash of the access token; null: none. Unique. */
  access_token_lookup: string | null;
  /** 1: the user is being moved here from another gateway, and cannot call here yet. */
  moving: Generated<number>;
  /**
   * 1: the account of an organisation, which is in `organisations`. Nobody can sign in to it, and
   * what is about persons leaves it out.
   */
  organisation: Generated<number>;
  /** Unix seconds. */
  create_time: number;
  /** When the user was deleted, in RFC 3339; null: not deleted. */
  DeletedAt: string | null;
};

/** Signed-in browsers. Written by `modules/sessions` only. */
export type SessionTable = {
  /** Hex SHA-256 of the cookie's value. */
  id: string;
  user_id: number;
  /** Unix milliseconds, as are all times of this table. */
  created_at: number;
  seen_at: number;
  /** When the session ends, however much it is used. */
  expires_at: number;
  client_ip: string;
  user_agent: string;
  /** When the second factor was last proven in this session; 0: never. */
  factor_at: number;
  /** 1: the session was opened with a password that an e-mail or an administrator gave the user. */
  by_given_password: Generated<number>;
};
