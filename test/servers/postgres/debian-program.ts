/** PostgreSQL 15 as Debian 12 packages it, with its extensions: an older server than npm brings. */
import { join } from 'node:path';
import { Failure } from '../../../server/failure.ts';
import type { PostgresProgram } from '../../../server/postgres-server.ts';
import { librariesOf, unpackDebian } from '../debian-packages.ts';
import { downloaded } from '../downloads.ts';

/** The server, its tools, and the libraries of theirs that small systems lack. */
const PACKAGES =
  'postgresql-15 postgresql-client-15 libpq5 libicu72 libldap-2.5-0 libsasl2-2 libxml2 libxslt1.1 liblz4-1 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1'.split(
    ' ',
  );

/** Debian's share of a program finds its own files from where it lies. */
const PROGRAMS = 'usr/lib/postgresql/15/bin';

/**
 * Where the programs are, fetched when they are not there yet; what is installed on the machine is left alone.
 * @throws Failure when the packages cannot be had
 */
export async function debianPostgres(): Promise<PostgresProgram> {
  const unpack = (folder: string) => unpackDebian(folder, PACKAGES);
  const root = await downloaded(`postgresql-15-${process.arch}`, unpack).catch((cause: unknown) => {
    throw new Failure(
      'The PostgreSQL 15 of Debian 12 could not be fetched: run apt-get update there.',
      { cause },
    );
  });
  return {
    postgres: join(root, PROGRAMS, 'postgres'),
    initdb: join(root, PROGRAMS, 'initdb'),
    libraries: await librariesOf(root),
    locale: ['--locale=C.UTF-8'],
  };
}
