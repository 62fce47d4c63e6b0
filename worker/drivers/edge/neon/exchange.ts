/** Sends statements to Neon's HTTP endpoint by the vendor's own driver, one trip each time. */
import { type FullQueryResults, NeonDbError, neon, neonConfig } from '@neondatabase/serverless';
import type { Statement } from '../../../../kinds/postgres/dialect/ask.ts';
import type { FieldValue } from '../../../../kinds/postgres/dialect/encode.ts';
import type { Field } from '../../../../kinds/postgres/dialect/rows.ts';
import type { Call } from '../../../../proto/driver.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import { type EdgeHost, Lost } from '../driver.ts';
import { boundedText, replyMax, resultTooLarge, unreadable } from '../sql/reply.ts';
import { refusedByEndpoint } from './failures.ts';
import type { NeonSettings } from './settings.ts';

/** What a statement came to, its values as the server writes them. */
export interface StatementReply {
  readonly fields: readonly Field[];
  readonly rows: readonly (readonly FieldValue[])[];
  /** The tag of the command, as PostgreSQL's own protocol has it. */
  readonly tag: string;
}

/** Bounds of a trip. */
export type TripBounds = Pick<Call, 'signal' | 'resultMaxBytes'>;

/** What the driver looks at of a response. */
interface Reply {
  readonly ok: boolean;
  readonly status: number;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

/** How one request is sent; it travels through the driver's options. */
type Send = (
  url: string,
  init: { headers: Record<string, string>; body: string },
) => Promise<Reply>;

// The driver's settings are one object for the whole isolate. This function holds nothing about a
// caller: what is a caller's comes with each request, among the driver's fetch options.
neonConfig.fetchFunction = (
  url: string,
  { send, headers, body }: { send: Send; headers: Record<string, string>; body: string },
) => send(url, { headers, body });

/** Leaves every value as the text that the server wrote. */
const AS_TEXT = { getTypeParser: () => (text: string) => text };

/** The way to one database. */
export class Exchange {
  readonly #settings: NeonSettings;
  readonly #host: EdgeHost;

  constructor(settings: NeonSettings, host: EdgeHost) {
    this.#settings = settings;
    this.#host = host;
  }

  /** Sends one statement by itself, outside a transaction block. @throws as `batch` */
  async alone(statement: Statement, bounds: TripBounds): Promise<StatementReply> {
    const sql = this.#driver(bounds);
    const { text, values = [] } = statement;
    return withOwnFailures(async () =>
      answerOf(await sql.query(text, [...values], { types: AS_TEXT })),
    );
  }

  /**
   * Sends statements that take effect together, in one transaction.
   * @throws NeonDbError what the database answered
   * @throws GatewayError CONNECTION_FAILED, RESULT_TOO_LARGE, Lost
   */
  async batch(
    statements: readonly Statement[],
    readOnly: boolean,
    bounds: TripBounds,
  ): Promise<readonly StatementReply[]> {
    const sql = this.#driver(bounds);
    const queries = statements.map(({ text, values = [] }) =>
      sql.query(text, [...values], { types: AS_TEXT }),
    );
    return withOwnFailures(async () =>
      (await sql.transaction(queries, { readOnly })).map(answerOf),
    );
  }

  #driver(bounds: TripBounds) {
    const send: Send = (url, { headers, body }) => this.#send(url, headers, body, bounds);
    return neon(this.#settings.connectionString, {
      arrayMode: true,
      fullResults: true,
      fetchOptions: { send },
      disableWarningInBrowsers: true,
    });
  }

  async #send(
    derived: string,
    headers: Record<string, string>,
    body: string,
    { signal, resultMaxBytes }: TripBounds,
  ): Promise<Reply> {
    const request = new Request(this.#settings.url ?? derived, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
      redirect: 'manual',
      signal,
    });
    const response = await this.#host.fetch(request);
    const text = await boundedText(response, replyMax(resultMaxBytes), signal);
    if (text === undefined) throw resultTooLarge(resultMaxBytes);
    const { status } = response;
    if (status !== 200) {
      const refused = refusedByEndpoint(status, text, 'Neon-Batch-Read-Only' in headers);
      if (refused) throw refused;
    }
    return {
      ok: status === 200,
      status,
      text: async () => text,
      json: async () => JSON.parse(text),
    };
  }
}

/** The driver wraps what its fetch throws; its own complaints may quote the connection string. */
async function withOwnFailures<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NeonDbError) || error.code !== undefined) throw error;
    if (error.sourceError instanceof GatewayError) throw error.sourceError;
    throw new Lost('CONNECTION_FAILED', 'The database endpoint gave no reply that can be read');
  }
}

function answerOf({ fields, rows, command, rowCount }: FullQueryResults<true>): StatementReply {
  if (!fields.every(isField) || !rows.every((row) => isRowOf(row, fields.length))) {
    throw unreadable();
  }
  const texts = rows as FieldValue[][]; // Just looked at.
  const tag = command === 'INSERT' ? `INSERT 0 ${rowCount}` : `${command} ${rowCount}`;
  return { fields, rows: texts, tag };
}

/** The driver declares what it hands on as it came. */
function isField({ name, dataTypeID }: { name: unknown; dataTypeID: unknown }): boolean {
  return typeof name === 'string' && Number.isSafeInteger(dataTypeID);
}

function isRowOf(row: unknown, columns: number): boolean {
  if (!Array.isArray(row) || row.length !== columns) return false;
  return row.every((value) => value === null || typeof value === 'string');
}
