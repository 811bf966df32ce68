/** Files that are wrong, each with the line that has to be named and what has to be said. */

type BadFile = {
  readonly name: string;
  readonly text: string;
  /** Null: JSON, whose parser names no line. */
  readonly line: number | null;
  readonly says: RegExp;
};

const bad = (
  name: string,
  line: number | null,
  says: RegExp,
  ...lines: readonly string[]
): BadFile => ({
  name,
  line,
  says,
  text: `${lines.join("\n")}\n`,
});

const channel = "type: openai, key: { env: MAIN_KEY }, models: [m], groups: [default]";

export const badFiles: readonly BadFile[] = [
  bad("01.yaml", 2, /YAML/, "options:", "  RetryTimes: [1, 2", "  ServerAddress: x"),
  bad("02.yaml", 2, /[Tt]ab/, "options:", "\tRetryTimes: 1"),
  bad("03.json", null, /JSON/, '{ "options": { "RetryTimes": 1 }'),
  bad("04.yaml", 1, /a map of sections/, "- options"),
  bad("05.yaml", 2, /Unknown field: option;/, "# a word", "option:", "  RetryTimes: 1"),
  bad("06.yaml", 3, /second time/, "options:", "  RetryTimes: 1", "  RetryTimes: 2"),
  bad("07.yaml", 2, /Unknown option: RetryTime/, "options:", "  RetryTime: 1"),
  bad("08.yaml", 2, /RetryTimes: /, "options:", "  RetryTimes: many"),
  bad("09.yaml", 2, /RetryTimes: /, "options:", "  RetryTimes: -4"),
  bad("10.yaml", 2, /RegisterEnabled: /, "options:", "  RegisterEnabled: yes"),
  bad("11.yaml", 2, /belongs in groups/, "options:", "  ModelRatio: { m: 1 }"),
  bad("12.yaml", 2, /belongs in sign_in oidc/, "options:", "  oidc.enabled: true"),
  bad("13.yaml", 2, /belongs in notices/, "options:", "  Notice: hello"),
  bad("14.yaml", 2, /is a secret/, "options:", "  SMTPToken: hunter2"),
  bad("15.yaml", 2, /NOT_THERE is not set/, "options:", "  SMTPToken: { env: NOT_THERE }"),
  bad("16.yaml", 2, /none\.key cannot be read/, "options:", "  SMTPToken: { file: none.key }"),
  bad("17.yaml", 2, /Unknown field: saml;/, "sign_in:", "  saml: {}"),
  bad("18.yaml", 3, /Unknown field: client;/, "sign_in:", "  oidc:", "    client: x"),
  bad("19.yaml", 3, /GitHub/, "sign_in:", "  github:", "    GitHubOAuthEnabled: true"),
  bad("20.yaml", 3, /is a secret/, "payments:", "  epay:", "    EpayKey: plain"),
  bad("21.yaml", 2, /map of fields/, "channels:", "  main: openai"),
  bad("22.yaml", 2, /Unknown field: model;/, "channels:", `  new: { ${channel}, model: m }`),
  bad(
    "23.yaml",
    3,
    /opennai/,
    "channels:",
    "  new:",
    "    type: opennai",
    "    key: { env: MAIN_KEY }",
    "    models: [m]",
  ),
  bad("24.yaml", 2, /is a secret/, "channels:", "  new: { type: openai, key: sk-1, models: [m] }"),
  bad("25.yaml", 2, /model/, "channels:", "  new: { type: openai, key: { env: MAIN_KEY } }"),
  bad("26.yaml", 2, /key/, "channels:", "  new: { type: openai, models: [m] }"),
  bad(
    "27.yaml",
    5,
    /not allowed/,
    "channels:",
    "  new:",
    "    type: openai",
    "    models: [m]",
    "    base_url: http://169.254.169.254",
    "    key: { env: MAIN_KEY }",
  ),
  bad(
    "28.yaml",
    3,
    /does not exist: nobody/,
    "channels:",
    "  main:",
    "    groups: [default, nobody]",
  ),
  bad("29.yaml", 3, /JSON/, "channels:", "  main:", "    setting: broken"),
  bad("30.yaml", 3, /connectMs/, "channels:", "  main:", "    setting: { connectMs: 1 }"),
  bad("31.yaml", 3, /[Pp]riority/, "channels:", "  main:", "    priority: high"),
  bad("32.yaml", 3, /true or false/, "channels:", "  main:", "    enabled: 2"),
  bad("33.yaml", 2, /map of fields/, "models:", "  m: 3"),
  bad("34.yaml", 2, /input/, "models:", "  m: { tokens: { output: 3 } }"),
  bad("35.yaml", 4, /Unknown field: outputs/, "models:", "  m:", "    tokens:", "      outputs: 3"),
  bad("36.yaml", 3, /Unknown field: price/, "models:", "  m:", "    price: 3"),
  bad("37.yaml", 2, /[Pp]er call|per-call/, "models:", "  m: { perCall: 1, tokens: { input: 1 } }"),
  bad("38.yaml", 2, /GroupRatio/, "groups:", "  vip: { ratio: -1 }"),
  bad("39.yaml", 3, /Unknown field: rate;/, "groups:", "  vip:", "    rate: 1"),
  bad("40.yaml", 2, /1 to 64 characters/, "groups:", '  "a,b": { ratio: 1 }'),
  bad(
    "41.yaml",
    3,
    /does not exist: gold/,
    "users:",
    "  bob:",
    "    group: gold",
    "    password: { env: ALICE_PASSWORD }",
  ),
  bad("42.yaml", 2, /is a secret/, "users:", "  bob: { password: hunter22 }"),
  bad(
    "43.yaml",
    3,
    /root, admin or user/,
    "users:",
    "  bob:",
    "    role: king",
    "    password: { env: ALICE_PASSWORD }",
  ),
  bad("44.yaml", 2, /characters/, "users:", "  bob: { password: { env: SHORT_PASSWORD } }"),
  bad(
    "45.yaml",
    5,
    /sk- and 48/,
    "users:",
    "  bob:",
    "    password: { env: ALICE_PASSWORD }",
    "    api_keys:",
    "      first: { key: { env: MAIN_KEY } }",
  ),
  bad(
    "46.yaml",
    2,
    /set up already/,
    "users:",
    "  second: { role: root, password: { env: ALICE_PASSWORD } }",
  ),
];
