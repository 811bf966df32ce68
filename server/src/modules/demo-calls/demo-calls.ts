/** The account that `--demo` opens for the calls of visitors. */
export type DemoAccount = {
  readonly userId: number;
  /** The account's key, with `sk-`. */
  readonly key: string;
  /** Makes a call of the account through the gateway, so that visitors see one pass. */
  readonly makeCall: () => Promise<void>;
};

export type DemoCalls = {
  /** Opens the home page's calls to visitors. Does nothing without `--demo`. */
  readonly open: (account: DemoAccount) => void;
  /** Lets visitors look around as this user. Does nothing without `--demo`. */
  readonly offerTours: (root: { readonly userId: number; readonly username: string }) => void;
  readonly hasTours: () => boolean;
  /** Null: there is no demo, or its account is not ready. */
  readonly account: () => DemoAccount | null;
};
