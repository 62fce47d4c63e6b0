/** Sends texts to the gateway as reads, what it lets through to the server as it is, and compares. */
import type { ProofServer } from './mysql-server.ts';
import { type Verdict, verdictOf, writingIn } from './mysql-verdict.ts';

/** Of what is refused, the server is asked about one in so many. */
const ASKED = 5;

/** Sends a text to the gateway as a read. */
export type Send = (text: string) => Promise<unknown>;

/** Batches of texts, and what went wrong with them. */
export class Trial {
  readonly faults: string[] = [];
  readonly #counts = { sent: 0, parsed: 0, refused: 0, asked: 0, live: 0 };
  readonly #server: ProofServer;
  #state: string;

  private constructor(server: ProofServer, state: string) {
    this.#server = server;
    this.#state = state;
  }

  /** Begins with the server as it is. */
  static async begin(server: ProofServer): Promise<Trial> {
    return new Trial(server, await server.state());
  }

  /** Takes what a proof itself has changed for the state from here on. */
  async rebase(): Promise<void> {
    this.#state = await this.#server.state();
  }

  /** What a reader wants to know besides the faults. */
  figures(): Record<string, number> {
    const { sent, parsed, refused, asked, live } = this.#counts;
    return {
      'let through': sent,
      'let through and read by the server (percent)': percent(parsed, sent),
      refused,
      'refused that the server would read (percent, of one in five)': percent(live, asked),
    };
  }

  /** Sends a batch and compares what the server read and what it is now. */
  async batch(texts: readonly string[], mode: string, send: Send): Promise<void> {
    const admitted: string[] = [];
    for (const [at, text] of texts.entries()) {
      const verdict = await verdictOf(() => send(text));
      if (verdict !== 'refused') admitted.push(text);
      await this.#count(text, verdict, at);
    }
    for (const text of admitted) await this.#server.send(text);
    await this.#checkReadings(admitted, mode);
    const state = await this.#server.state();
    if (mode === '' && state !== this.#state) {
      await this.#blame(admitted);
      this.#state = await this.#server.state();
    }
  }

  async #count(text: string, verdict: Verdict, at: number): Promise<void> {
    if (verdict !== 'refused') {
      this.#counts.sent += 1;
      return;
    }
    this.#counts.refused += 1;
    if (at % ASKED !== 0) return;
    this.#counts.asked += 1;
    if (!text.includes('\0') && (await this.#server.parses(text))) this.#counts.live += 1;
  }

  async #checkReadings(texts: readonly string[], mode: string): Promise<void> {
    const readings = await this.#server.readings();
    for (const text of texts) {
      const digest = readings.get(text)?.digest;
      if (digest === undefined) continue;
      this.#counts.parsed += 1;
      const writing = writingIn(digest);
      if (writing) this.faults.push(`[${mode}] ${JSON.stringify(text)} was read as ${digest}`);
    }
  }

  /** Which of them changes something. */
  async #blame(texts: readonly string[]): Promise<void> {
    let before = await this.#server.state();
    for (const text of texts) {
      await this.#server.send(text);
      const after = await this.#server.state();
      if (after !== before) {
        this.faults.push(`${JSON.stringify(text)} changed ${before} to ${after}`);
        return;
      }
      before = after;
    }
    const now = await this.#server.state();
    this.faults.push(`one of ${texts.length} texts changed, once, ${this.#state} to ${now}`);
  }
}

function percent(part: number, whole: number): number {
  return Math.round((100 * part) / Math.max(whole, 1));
}
