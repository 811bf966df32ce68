/** Synonyms that people search by, in both languages. */

/**
 * Each line is a group of synonyms in lower case: a search for one of them also finds texts with
 * the others.
 */
const sameWords: readonly (readonly string[])[] = [
  ["price", "pricing", "cost", "ratio", "billing", "价格", "定价", "倍率", "费用", "计费"],
  ["quota", "balance", "credit", "额度", "余额", "配额"],
  ["group", "tier", "分组"],
  ["smtp", "mail", "邮件", "邮箱"],
  ["register", "registration", "sign up", "sign-up", "signup", "注册"],
  ["password", "passwd", "密码"],
  [
    "two-factor",
    "second factor",
    "2fa",
    "mfa",
    "totp",
    "authenticator",
    "passkey",
    "两步",
    "通行密钥",
  ],
  ["rate limit", "throttle", "concurrency", "限流", "速率", "频率"],
  ["retry", "retries", "重试"],
  ["notification", "notify", "alert", "webhook", "reminder", "通知", "提醒"],
  ["captcha", "turnstile", "bot check", "人机", "验证码"],
  ["logo", "favicon", "图标", "标志"],
  ["worker", "forwarder", "proxy", "代理", "转发"],
  ["sensitive", "forbidden word", "blocked word", "屏蔽词", "敏感词"],
  ["payment", "checkout", "stripe", "支付", "付款"],
  ["top up", "top-up", "topup", "recharge", "充值"],
  ["invite", "invitation", "referral", "affiliate", "邀请"],
  ["sign in", "sign-in", "login", "log in", "oauth", "sso", "登录"],
  ["docs", "documentation", "tutorial", "文档", "教程"],
  ["announcement", "notice", "news", "公告"],
  ["api key", "token", "令牌", "密钥"],
  ["channel", "provider", "upstream", "渠道", "上游"],
  ["log", "request", "history", "日志", "请求"],
  ["dashboard", "usage", "statistics", "chart", "看板", "统计", "图表"],
  ["playground", "chat", "操练场", "聊天"],
  ["session", "device", "会话", "设备"],
  ["server address", "base url", "domain", "服务器地址", "域名"],
];

/**
 * Whether the text contains the word. Latin words must match as a whole or in the plural: "log"
 * does not match "login".
 */
function hasWord(text: string, word: string): boolean {
  if (!/^[a-z]/.test(word)) return text.includes(word);
  return new RegExp(`(?<![a-z0-9])${word}s?(?![a-z0-9])`).test(text);
}

/** Whether the text, which must be in lower case, contains every word of the query. */
export function hasWords(query: string, text: string): boolean {
  return query
    .toLowerCase()
    .split(/\s+/)
    .every(
      (word) =>
        text.includes(word) || (/^[a-z]{3,}s$/.test(word) && text.includes(word.slice(0, -1))),
    );
}

/** Returns the text in lower case, followed by the synonyms of its words. */
export function withSameWords(text: string): string {
  const own = text.toLowerCase();
  const others = sameWords.filter((words) => words.some((word) => hasWord(own, word)));
  return [own, ...others.map((words) => words.join("\n"))].join("\n");
}
