/** Whose object it is that runs workflows, and what seals its values. */
import type { Bindings } from '../../context.ts';
import { sealBytes, unsealBytes } from '../../secrets/seal.ts';
import { settingsOf } from '../../settings.ts';
import { checkFormat, FORMAT } from './format.ts';
import type { Owner } from './object.ts';
import { createTables } from './tables.ts';
import { Vault } from './vault.ts';

const encoder = new TextEncoder();

export class Identity {
  readonly #sql: SqlStorage;
  readonly #env: Bindings;
  /** Of the object. */
  readonly name: string;
  #opening: Promise<Vault> | undefined;
  #vault: Vault | undefined;
  #owner: Owner | undefined;

  constructor(sql: SqlStorage, env: Bindings, name: string) {
    this.#sql = sql;
    this.#env = env;
    this.name = name;
  }

  /** @throws Error before `open` */
  get vault(): Vault {
    if (!this.#vault) throw new Error('The object is not open');
    return this.#vault;
  }

  /** @throws Error before `open` */
  get owner(): Owner {
    if (!this.#owner) throw new Error('The object is not open');
    return this.#owner;
  }

  /** Whether nothing was ever kept here. */
  get isNew(): boolean {
    const tables = this.#sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'meta'").toArray();
    return tables.length === 0;
  }

  /**
   * Opens what seals the object's values; the first time it is made. Answers whether there is anything.
   * @param owner whose object it is, where the caller knows
   * @throws ForeignFormat where another version wrote what is kept in a form that this one does not read
   */
  async open(owner?: Owner): Promise<boolean> {
    if (this.#vault) {
      if (owner && owner.sealedDataKey !== this.#owner?.sealedDataKey) this.#remember(owner);
      return true;
    }
    if (this.isNew && !owner) return false;
    this.#opening ??= this.#open(owner).finally(() => {
      this.#opening = undefined;
    });
    this.#vault = await this.#opening;
    return true;
  }

  /** @throws ForeignFormat where another version wrote what is kept in a form that this one does not read */
  async #open(owner: Owner | undefined): Promise<Vault> {
    const written = this.isNew ? undefined : this.#text('format');
    if (!this.isNew) checkFormat(this.#sql, written);
    createTables(this.#sql);
    const format = String(FORMAT);
    if (written !== format) this.#setMeta('format', encoder.encode(format));
    const known = this.#text('owner');
    const own = owner ?? (known === undefined ? undefined : (JSON.parse(known) as Owner)); // As it was remembered.
    if (!own) throw new Error('Nobody says whose object it is');
    const { orgUuid, sealedDataKey } = own;
    const purpose = `workflow-runs:${this.name}`;
    const sealing = { settings: settingsOf(this.#env), orgUuid, sealedDataKey, purpose };
    const sealed = this.#meta('key');
    const key = sealed
      ? await unsealBytes(sealing, sealed)
      : crypto.getRandomValues(new Uint8Array(32));
    if (!sealed) this.#setMeta('key', await sealBytes(sealing, key));
    if (owner || known === undefined) this.#remember(own);
    else this.#owner = own;
    return new Vault(this.#sql, key, this.name);
  }

  #remember({ orgUuid, orgId, sealedDataKey }: Owner): void {
    this.#owner = { orgUuid, orgId, sealedDataKey };
    this.#setMeta('owner', encoder.encode(JSON.stringify(this.#owner)));
  }

  #text(name: string): string | undefined {
    const value = this.#meta(name);
    return value && new TextDecoder().decode(value);
  }

  #meta(name: string): Uint8Array | undefined {
    const [row] = this.#sql
      .exec<{ value: ArrayBuffer }>('SELECT value FROM meta WHERE name = ?', name)
      .toArray();
    return row && new Uint8Array(row.value);
  }

  #setMeta(name: string, value: Uint8Array): void {
    this.#sql.exec('INSERT OR REPLACE INTO meta VALUES (?, ?)', name, new Uint8Array(value).buffer);
  }
}
