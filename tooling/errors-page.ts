/** Makes docs/errors.md out of the error table and the meanings next to it. */
import { type Effect, ERROR_MEANINGS, type Retry } from '../proto/error-meanings.ts';
import { ERRORS, type ErrorCode, errorBody, refusedByBackend } from '../proto/errors.ts';

/** Where the page lies, relative to the project's folder. */
export const ERRORS_PAGE = 'docs/errors.md';

const RETRIES: Readonly<Record<Retry, string>> = {
  never: 'no',
  later: 'yes, later',
  'once known': 'once you know what happened',
};

const EFFECTS: Readonly<Record<Effect, string>> = {
  none: 'no',
  possible: 'perhaps',
  told: 'where `details` say `applied`',
  earlier: 'by the earlier request',
};

const EXAMPLE = errorBody(
  refusedByBackend('CONSTRAINT_VIOLATED', {
    source: 'postgres',
    code: '23505',
    message: 'duplicate key value violates unique constraint "customers_pkey"',
    constraint: 'customers_pkey',
  }),
  '0c5a7a52-6d1b-4b43-9d55-1f0f2f9f4c11',
);

/** The whole page, as Markdown. */
export function errorsPage(): string {
  const codes = Object.keys(ERRORS) as ErrorCode[]; // The table's own keys.
  return `${[INTRODUCTION, overview(codes), ...codes.map(section)].join('\n\n')}\n`;
}

const INTRODUCTION = `<!-- Made by npm run generate from proto/errors.ts and proto/error-meanings.ts. -->

# Errors

Every refusal is JSON of one shape. \`code\` is stable: programs decide by it, and by nothing else.
\`message\` says for people what was wrong and what would be right. \`request_id\` is also the header
\`X-Request-Id\`, and stands in the gateway's log.

\`\`\`json
${JSON.stringify(EXAMPLE, undefined, 2)}
\`\`\`

\`details\` is there when there is more to tell, and always a list. An entry has the members of one or more of these:

| entry | tells |
|---|---|
| \`{path, message}\` | what of the request is wrong: \`path\` is the member, header or parameter |
| \`{source, code, message, position?, constraint?}\` | what the backend said, in its own words and with its own code |
| \`{rule, …}\` | which rule refused it |
| \`{operation}\` | which operation of a transaction failed, from 0; also beside the members above |

\`applied: true\` in an entry says that the change took effect although the request failed.

**Retry** says whether the same request can succeed when it is sent again with nothing else changed.
**Changed** says whether a refused request may have changed anything. A request with an
\`Idempotency-Key\` can be repeated without a second effect.`;

function overview(codes: readonly ErrorCode[]): string {
  const rows = codes.map((code) => {
    const { status, error } = ERRORS[code];
    const { retry = 'never', effect = 'none' } = ERROR_MEANINGS[code];
    return `| ${status} | [\`${code}\`](#${code.toLowerCase()}) | ${error} | ${RETRIES[retry]} | ${EFFECTS[effect]} |`;
  });
  return ['| status | `code` | `error` | retry | changed |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function section(code: ErrorCode): string {
  const { status, error } = ERRORS[code];
  const { means, remedy, retry = 'never', effect = 'none' } = ERROR_MEANINGS[code];
  return `## \`${code}\`

${status} \`${error}\`. ${means}

${remedy} Retry: ${RETRIES[retry]}. Changed: ${EFFECTS[effect]}.`;
}
