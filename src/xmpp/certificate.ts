import { randomUUID } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { HOUR, SECOND } from '../lib/time.ts';

const FILE = 'xmpp.pem';
const YEARS = 10;
const CHECK_INTERVAL_MS = SECOND;

interface Files {
  certFile: string;
  keyFile: string;
}

interface Pem {
  cert: string;
  key: string;
}

export interface CertificateSettings {
  certificate: { certFile: string; keyFile: string } | undefined;
  dataDir: string;
}

/** The certificate of the ports for chat. A changed file is read without a restart. */
export class Certificate {
  readonly #files: Files;
  readonly #log: Logger;
  readonly #listeners = new Set<(pem: Pem) => void>();
  #pem: Pem;
  #context: SecureContext;

  private constructor(files: Files, pem: Pem, log: Logger) {
    this.#files = files;
    this.#pem = pem;
    this.#context = createSecureContext(pem);
    this.#log = log;
    for (const file of new Set([files.certFile, files.keyFile]))
      watchFile(file, { interval: CHECK_INTERVAL_MS, persistent: false }, this.#reload);
  }

  /** @throws {Error} that names the settings */
  static async load({ certificate, dataDir }: CertificateSettings, domain: string, log: Logger): Promise<Certificate> {
    const files = certificate ?? (await selfSigned(dataDir, domain, log));
    try {
      return new Certificate(files, await readPem(files), log);
    } catch (error) {
      throw new Error(`XMPP_TLS_CERT, XMPP_TLS_KEY: ${(error as Error).message}`);
    }
  }

  get context(): SecureContext {
    return this.#context;
  }

  /** Calls the listener now and after each change. */
  follow(listener: (pem: Pem) => void): void {
    this.#listeners.add(listener);
    listener(this.#pem);
  }

  stop(): void {
    for (const file of Object.values(this.#files)) unwatchFile(file, this.#reload);
  }

  // One of both files may be replaced before the other.
  readonly #reload = async (): Promise<void> => {
    try {
      const pem = await readPem(this.#files);
      if (pem.cert === this.#pem.cert && pem.key === this.#pem.key) return;
      this.#context = createSecureContext(pem);
      this.#pem = pem;
      for (const listener of this.#listeners) listener(pem);
      this.#log.info({ file: this.#files.certFile }, 'the certificate of the chat was read again');
    } catch (error) {
      this.#log.warn({ err: error }, 'the changed certificate of the chat is not valid; the earlier one stays in use');
    }
  };
}

async function readPem({ certFile, keyFile }: Files): Promise<Pem> {
  return { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
}

/** One file for both, so that processes that start at the same time agree. */
async function selfSigned(dataDir: string, domain: string, log: Logger) {
  const file = join(dataDir, FILE);
  const files = { certFile: file, keyFile: file };
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known === undefined || !(await isFor(known, domain))) {
    const made = `${file}.${randomUUID()}`;
    await writeFile(made, await make(domain), { mode: 0o600 });
    if (known !== undefined) await rm(file);
    await link(made, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error; // another process was first
    });
    await rm(made);
  }
  log.warn({ file }, 'the chat uses a self-signed certificate, which clients may refuse; set XMPP_TLS_CERT');
  return files;
}

async function isFor(pem: string, domain: string): Promise<boolean> {
  const { X509Certificate } = await import('node:crypto');
  try {
    const certificate = new X509Certificate(pem);
    return certificate.checkHost(domain) !== undefined && Date.parse(certificate.validTo) > Date.now();
  } catch {
    return false;
  }
}

async function make(domain: string): Promise<string> {
  await import('reflect-metadata'); // which `@peculiar/x509` needs, but does not load
  const { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${domain}`,
    notBefore: new Date(Date.now() - HOUR),
    notAfter: new Date(Date.now() + YEARS * 365 * 24 * HOUR),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: domain }])],
  });
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return `${key}\n${certificate.toString('pem')}\n`;
}
