/** Sends statements to PlanetScale by the vendor's own driver. */
import { type Connection, connect, type Field } from '@planetscale/database';
import type { Call } from '../../../../proto/driver.ts';
import type { EdgeHost } from '../driver.ts';
import { boundedText, replyMax, resultTooLarge } from '../sql/reply.ts';
import type { Value } from './columns.ts';
import { rowsIn } from './reply-rows.ts';
import type { PlanetScaleSettings } from './settings.ts';

/** What a statement came to, its values as they travel. */
export interface StatementReply {
  readonly fields: readonly Field[];
  readonly rows: readonly (readonly Value[])[];
  readonly affected: number;
  /** Digits; `0` for none. */
  readonly insertId: string;
}

/** Bounds of a trip. */
export type TripBounds = Pick<Call, 'signal' | 'resultMaxBytes'>;

/** The statements of one caller, one after another: what `BEGIN` opened goes on with the next. */
export class PlanetScaleConnection {
  readonly #connection: Connection;
  /** Of the last reply. */
  #rows: StatementReply['rows'] = [];

  constructor({ origin, user, password }: PlanetScaleSettings, host: EdgeHost, bounds: TripBounds) {
    const { signal, resultMaxBytes } = bounds;
    this.#connection = connect({
      // The driver turns names into base64 byte by byte.
      username: bytewise(user),
      password: bytewise(password),
      host: new URL(origin).host,
      cast: (_, value) => value,
      fetch: async (url, init) => {
        const { method, headers, body } = init ?? { method: 'POST', headers: {}, body: '' };
        const request = new Request(new URL(new URL(url).pathname, origin), {
          method,
          headers,
          body,
          redirect: 'manual',
          signal,
        });
        const response = await host.fetch(request);
        const text = await boundedText(response, replyMax(resultMaxBytes), signal);
        if (text === undefined) throw resultTooLarge(resultMaxBytes);
        const { ok, status, statusText } = response;
        const { rows, rest } = ok ? rowsIn(text) : { rows: [], rest: text };
        this.#rows = rows;
        return { ok, status, statusText, headers: response.headers, text: async () => rest };
      },
    });
  }

  /**
   * Runs one statement whose values are in its text.
   * @throws DatabaseError what the database answered
   * @throws GatewayError CONNECTION_FAILED, RESULT_TOO_LARGE, Lost
   */
  async send(text: string): Promise<StatementReply> {
    const { fields, rowsAffected, insertId } = await this.#connection.execute<Value[]>(text, null, {
      as: 'array',
    });
    return { fields, rows: this.#rows, affected: rowsAffected, insertId };
  }
}

/** Each byte of the text's UTF-8 as one character. */
function bytewise(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
