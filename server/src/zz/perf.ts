import { openTestDatabase } from "#db/test-database.ts";
import { sql } from "kysely";
import { bindStore } from "#db/store.ts";
import { userStore } from "#modules/users/users.store.ts";
import { tokenStore } from "#modules/tokens/tokens.store.ts";
import { signInStore } from "#modules/sign-in/sign-in.store.ts";
const { db, close } = await openTestDatabase(process.argv[2] as never);
const pg = process.argv[2] === "postgres";
const series = (n: number) => pg ? sql`(select generate_series(1,${sql.lit(n)}) as i) s` : sql`(with recursive c(i) as (select 1 union all select i+1 from c where i<${sql.lit(n)}) select i from c) s`;
const now = Math.floor(Date.now()/1000);
const N = 100_000;
await sql`insert into users (username,password_hash,display_name,role,status,email,github_id,oidc_id,wechat_id,telegram_id,linux_do_id,"group",aff_code,inviter_id,setting,create_time)
 select 'user'||i,'x','name'||i,1,1,'u'||i||'@example.com','','','','','','default','c'||i,0,'',1 from ${series(N)}`.execute(db);
await sql`insert into balances (user_id,balance,held,used,entry_count,head_hash) select i,1000,0,0,0,'' from ${series(N)}`.execute(db);
await sql`insert into counters (kind,id,used_quota,request_count,prompt_tokens,completion_tokens) select 'user',i,5,1,1,1 from ${series(N)}`.execute(db);
const hour = Math.floor(now/3600)*3600;
await sql`insert into usage_hours (hour,user_id,token_id,channel_id,model_name,"group",quota,request_count,prompt_tokens,completion_tokens)
 select ${sql.lit(hour)} - (i % 720)*3600, i % ${sql.lit(N)}, i, 1, 'm'||(i % 7), 'default', 5,1,1,1 from ${series(1_000_000)}`.execute(db);
await sql`insert into logs (created_at,type,user_id,token_id,channel,quota,write_off,prompt_tokens,completion_tokens,use_time,is_stream,price_version,request_id,username,token_name,model_name,"group",content,other,client_ip,usage,usage_source,losses)
 select ${sql.lit(now)} - i, 2, i % ${sql.lit(N)}, 1,1,5,0,1,1,1,0,1,'r'||i,'u','t','m','default','','','','','','' from ${series(1_000_000)}`.execute(db);
await sql`insert into tokens (user_id,status,created_time,accessed_time,unlimited_quota,model_limits_enabled,expired_time,lookup,name,sealed,hint,model_limits,allow_ips,"group")
 select i,1,1,1,0,0,-1,'l'||i,'token '||i,'s','ab12••••wx'||i,'','','' from ${series(N)}`.execute(db);
await sql`insert into token_balances (token_id,granted,remain,used,held) select i,5,5,0,0 from ${series(N)}`.execute(db);
await sql`analyze`.execute(db);
const users = bindStore(userStore, db), tokens = bindStore(tokenStore, db), sign = bindStore(signInStore, db);
async function time(name: string, run: () => Promise<unknown>) { await run(); const t = performance.now(); for (let i=0;i<5;i++) await run(); console.log(name, ((performance.now()-t)/5).toFixed(1), "ms"); }
const zero = { one_day: 0, one_week: 0, one_month: 0 };
await time("totals", () => users.readTotalWindows(now));
await time("page 10", () => users.pageUsers({keyword:"",group:""},{page:1,page_size:10},zero,Date.now()));
await time("page 100", () => users.pageUsers({keyword:"",group:""},{page:1,page_size:100},zero,Date.now()));
await time("page deep", () => users.pageUsers({keyword:"",group:""},{page:900,page_size:100},zero,Date.now()));
await time("search miss", () => users.pageUsers({keyword:"zzz",group:""},{page:1,page_size:100},zero,Date.now()));
await time("search hit", () => users.pageUsers({keyword:"ser1",group:""},{page:1,page_size:100},zero,Date.now()));
await time("self", () => users.readSelf(5));
await time("token own", () => tokens.pageTokens(5,{keyword:"",shown:"",lookup:""},{page:1,page_size:100}));
await time("token all", () => tokens.pageTokens(null,{keyword:"",shown:"",lookup:""},{page:1,page_size:100}));
await time("token all search", () => tokens.pageTokens(null,{keyword:"zzz",shown:"q",lookup:"l5"},{page:1,page_size:100}));
await time("credentials miss", () => sign.findCredentials("nobody"));
await time("session miss", () => sign.findSession("nobody", Date.now()));
await close();
