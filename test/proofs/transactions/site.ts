/** A gateway over the bank, whose parts are killed with -9 and started again. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../server/ports.ts';
import { dataFolder, type OwnGateway, startGateway } from '../../gateway.ts';
import { newOrganization, type Organization } from '../../organization.ts';
import { childrenOf, killRelay, processes, stillRunning } from '../../processes.ts';
import { ACCOUNTS, Bank } from './bank.ts';

/** What is killed, or cut off. */
export const PARTS = ['gateway', 'runtime', 'relay', 'postgres', 'mariadb', 'line'] as const;
export type Part = (typeof PARTS)[number];

/** Longest that a part may need to answer again. */
const BACK_MAX_MS = 120_000;
/** Milliseconds that a line is cut. */
const CUT_MS = 1_500;

/** What a client was told of its transfer. */
export interface Told {
  readonly name: string;
  /** 0 where there was no answer. */
  readonly status: number;
  readonly id?: string;
  readonly code?: string;
}

/** The state of a transaction. */
export interface TransactionRow {
  readonly transaction_id: string;
  readonly sequence: number | null;
  readonly status: string;
}

export class Site {
  readonly bank: Bank;
  readonly organization: Organization;
  readonly #data: string;
  readonly #start: () => Promise<OwnGateway>;
  #gateway: OwnGateway;

  private constructor(
    bank: Bank,
    organization: Organization,
    rest: { gateway: OwnGateway; data: string; start: () => Promise<OwnGateway> },
  ) {
    this.bank = bank;
    this.organization = organization;
    this.#gateway = rest.gateway;
    this.#data = rest.data;
    this.#start = rest.start;
  }

  static async open(): Promise<Site> {
    const bank = await Bank.open();
    const data = await dataFolder();
    const [port, relayPort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
    const args = ['--port', String(port), '--relay-port', String(relayPort)];
    const start = () => startGateway({ data, args });
    const gateway = await start();
    const organization = await newOrganization(gateway);
    const site = new Site(bank, organization, { gateway, data, start });
    await site.#add('pg', 'postgres', bank.postgresUrl);
    await site.#add('my', 'mysql', bank.mariadbUrl);
    return site;
  }

  async #add(endpoint: string, kind: string, url: string): Promise<void> {
    const body = { endpoint, kind, config: { write_conn: { url } } };
    const reply = await this.organization.call('POST', '/endpoints', body);
    if (reply.status !== 200) throw new Error(JSON.stringify(reply));
  }

  async close(): Promise<void> {
    await this.#gateway.stop('SIGKILL');
    await this.bank.close();
    await rm(this.#data, { recursive: true, force: true });
  }

  /** Moves one unit from an account of PostgreSQL to one of MariaDB, or back. @param from from 0 @param to from 0 */
  async transfer(from: number, to: number, amount: number): Promise<Told> {
    const name = randomUUID();
    const body = {
      operations: [
        ...part('pg', '$1', '$2', [-amount, from], name),
        ...part('my', '?', '?', [amount, to], name),
      ],
      keys: [`pg-${from}`, `my-${to}`],
      timeout_ms: 15_000,
    };
    const reply = await this.organization
      .call('POST', '/transactions', body)
      .catch(() => undefined);
    const { transaction_id: id, code } = (reply?.body ?? {}) as {
      transaction_id?: string;
      code?: string;
    };
    return {
      ...{ name, status: reply?.status ?? 0 },
      ...(id === undefined ? {} : { id }),
      ...(code === undefined ? {} : { code }),
    };
  }

  /** The newest transactions; nothing where the gateway does not answer. */
  async transactions(limit: number): Promise<readonly TransactionRow[]> {
    const reply = await this.organization
      .call('GET', `/transactions?limit=${limit}`)
      .catch(() => undefined);
    if (reply?.status !== 200) return [];
    return (reply.body as { transactions: TransactionRow[] }).transactions;
  }

  /** Kills a part with -9, or cuts it off, and waits until all answers again. @param dead called in between */
  async strike(what: Part, dead: () => Promise<void>): Promise<void> {
    if (what === 'postgres') await this.bank.restartPostgres(dead);
    else if (what === 'mariadb') await this.bank.restartMariadb(dead);
    else if (what === 'line') await this.#cut(dead);
    else if (what === 'gateway') await this.#restart(dead);
    else {
      if (what === 'relay') await killRelay(this.#gateway.pid);
      else for (const pid of this.#runtimes()) process.kill(pid, 'SIGKILL');
      await dead();
    }
    await this.#answers();
  }

  async #cut(dead: () => Promise<void>): Promise<void> {
    const { postgresLine, mariadbLine } = this.bank;
    postgresLine.cut();
    mariadbLine.cut();
    await dead();
    await sleep(CUT_MS);
    postgresLine.mend();
    mariadbLine.mend();
  }

  #runtimes(): number[] {
    const runtimes = childrenOf(this.#gateway.pid).filter(({ command }) =>
      /workerd serve/.test(command),
    );
    if (runtimes.length === 0) throw new Error('The gateway has no runtime');
    return runtimes.map(({ pid }) => pid);
  }

  async #restart(dead: () => Promise<void>): Promise<void> {
    const family = [this.#gateway.pid, ...childrenOf(this.#gateway.pid).map(({ pid }) => pid)];
    const rows = processes().filter(({ pid }) => family.includes(pid));
    for (const pid of family) killOne(pid);
    while (stillRunning(rows).length > 0) await sleep(20);
    await dead();
    this.#gateway = await this.#start();
  }

  async #answers(): Promise<void> {
    const until = Date.now() + BACK_MAX_MS;
    for (const endpoint of ['pg', 'my']) {
      for (;;) {
        const reply = await this.organization
          .call('POST', `/endpoints/${endpoint}/read`, { query: 'SELECT 1' })
          .catch(() => undefined);
        if (reply?.status === 200) break;
        if (Date.now() > until)
          throw new Error(`${endpoint} answers no more: ${JSON.stringify(reply)}`);
        await sleep(50);
      }
    }
  }
}

function part(endpoint: string, one: string, other: string, values: number[], name: string) {
  return [
    {
      endpoint,
      query: `UPDATE accounts SET amount = amount + ${one} WHERE id = ${other}`,
      params: values,
    },
    { endpoint, query: `INSERT INTO transfers (name) VALUES (${one})`, params: [name] },
  ];
}

/** A process that has just ended by itself is fine, too. */
function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}

/** An account of one database, at random. @param draw from 0 to 1 */
export const account = (draw: number): number => Math.floor(draw * ACCOUNTS);
