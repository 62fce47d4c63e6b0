/**
 * Looks at the plan of every statement that tests send to D1, which all organizations share: one that reads more than it
 * asks for holds up everybody.
 */
import { afterAll } from 'vitest';
import { faultsOf } from './plan.ts';
import { knownOf, planOf, takeSent } from './sent.ts';

/** Statements that may read more, each with why. */
const ALLOWED: readonly RegExp[] = [
  // All that an organization stores is added up once its audit has used up the part that it has for itself.
  /^insert into "audit_(?:entries|totals)"/,
  // Sweeps go through what is little, once a minute: news of triggers that were not told, triggers of one sort.
  /^select .* from "workflow_trigger_news" inner join "organizations"/,
  /^select distinct "workflow_triggers"."org_uuid"/,
  // Or once an hour: days of usage, organizations whose audit may be old, organizations with workflows.
  /^delete from "template_usage" where "rowid" in/,
  /^select "uuid", \? - coalesce\(json_extract\("organizations"."settings", '\$.dataRetentionDays'\)/,
  /^select distinct "org_uuid" from "workflows" order by random\(\)/,
];

const STATEMENT = /^\s*(?:select|insert|update|delete|with)\b/i;

afterAll(async () => {
  const faults: string[] = [];
  for (const { text, isOurs } of takeSent()) {
    if (!STATEMENT.test(text) || ALLOWED.some((each) => each.test(text))) continue;
    const found = faultsOf(await planOf(text), await knownOf());
    const ours = found.filter(({ rule }) => isOurs || rule !== 'whole table');
    faults.push(...ours.map(({ detail, rule }) => `${rule}: ${detail}, in ${text}`));
  }
  if (faults.length > 0) throw new Error(`Statements to D1 read too much: ${faults.join('\n')}`);
});
