/** A document that sets up a shop: groups, channels, prices, OIDC, epay, notices, first users. */

export const shopEnv: Readonly<Record<string, string>> = {
  ALICE_KEY: `sk-${"Abc123".repeat(8)}`,
  ALICE_PASSWORD: "wrong mule charger",
  EPAY_KEY: "epay secret",
  MAIN_KEY: "sk-main-123456",
  OIDC_SECRET: "oidc secret",
  ROOT_PASSWORD: "correct horse battery",
  SHORT_PASSWORD: "1234",
};

const models = Array.from({ length: 40 }, (_, at) => `shop-${at}`);

const prices = models.map((name, at) =>
  at % 10 === 9
    ? `  ${name}: { perCall: 0.0${(at % 9) + 1} }`
    : `  ${name}: { tokens: { input: ${at + 1}, output: ${(at + 1) * 4}.5, cacheRead: 0.3 } }`,
);

const channels = [
  ["main", "openai", "[default, vip]", "priority: 10"],
  ["second", "anthropic", "[default]", "weight: 2"],
  ["backup", "openrouter", "[default]", "tag: backup"],
  ["images", "openai", "[vip]", "base_url: https://images.example.com"],
  ["staff", "deepseek", "[staff]", "setting: { connectMs: 3000 }"],
  ["local", "custom", "[staff]", "base_url: https://local.example.com"],
].map(
  ([name, type, groups, more]) => `  ${name}:
    type: ${type}
    key: { env: MAIN_KEY }
    models: [${models.slice(0, 5).join(", ")}]
    groups: ${groups}
    ${more}`,
);

export const shopFile = `# A shop
options:
  ServerAddress: https://api.example.com
  RetryTimes: 3
notices:
  SystemName: The shop
  Notice: |
    Welcome: everything works.
    - with a second line
sign_in:
  oidc:
    oidc.enabled: true
    oidc.client_id: shop
    oidc.client_secret: { env: OIDC_SECRET }
    oidc.well_known: https://id.example.com/.well-known/openid-configuration
payments:
  epay:
    PayAddress: https://pay.example.com
    EpayId: "1001"
    EpayKey: { env: EPAY_KEY }
groups:
  default: { ratio: 1, description: Everybody }
  vip: { ratio: 0.8, description: VIP }
  staff: { ratio: 0 }
models:
${prices.join("\n")}
channels:
${channels.join("\n")}
users:
  root: { role: root, password: { env: ROOT_PASSWORD } }
  alice:
    password: { env: ALICE_PASSWORD }
    group: vip
    quota: 500000
    api_keys:
      first: { key: { env: ALICE_KEY } }
`;
