import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { APPLICATION, running, useApp } from '../../../support/app/app.ts';
import { bundle } from '../../../support/app/bundle.ts';
import { hasBrowser, useBrowser } from '../../../support/clients/browser.ts';
import { APP, choose, openAs, owner } from '../../../support/clients/console.ts';
import { graphql } from '../../../support/clients/graphql.ts';
import { apiKey, createUser } from '../../../support/fixtures/users.ts';

const execute = promisify(execFile);

const cell = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: true });

describe.skipIf(!hasBrowser)('records in the console', () => {
  useApp();
  useBrowser();

  test('a class is designed, filled, edited in place, undone, filtered and deleted', async () => {
    const { page, problems } = await openAs(await owner(), `${APP}/data`);
    await page.getByRole('button', { name: 'Create class' }).first().click();
    const design = page.getByRole('dialog');
    await design.getByLabel(/^Name\W*$/).fill('Tool');
    await design.getByLabel('Name of new field').fill('label');
    await design.getByRole('button', { name: 'Create class' }).click();
    await page.getByRole('heading', { name: 'Tool' }).waitFor();
    for (const label of ['hammer', 'saw']) {
      await page.getByRole('button', { name: 'Create record' }).click();
      await page.getByRole('dialog').getByLabel('label').fill(label);
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await cell(page, `label: ${label}`).waitFor();
    }
    await cell(page, 'label: saw').dblclick();
    await page.getByRole('textbox', { name: 'label' }).fill('band saw');
    await page.keyboard.press('Enter');
    await cell(page, 'label: band saw').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await cell(page, 'label: saw').waitFor();

    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Value').fill('hammer');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('label is hammer').waitFor();
    await cell(page, 'label: saw').waitFor({ state: 'detached' });
    await page.reload();
    await cell(page, 'label: hammer').waitFor();
    expect(await cell(page, 'label: saw').count()).toBe(0);

    await choose(page, 'Delete class');
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete class' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel('Type “Tool” to confirm').fill('Tool');
    await confirm.click();
    await page.getByRole('heading', { name: 'Data' }).waitFor();
    expect(await db.recordClass.count({ where: { name: 'Tool' } })).toBe(0);
    expect(problems).toEqual([]);
  });

  test('the keyboard moves between cells, edits, selects, copies and clears as in a spreadsheet', async () => {
    const { name, where } = await createParts(3);
    const { page, problems } = await openAs(await owner(), `${APP}/data/${name}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await cell(page, 'name: part 0').click();
    await press('ArrowDown', 'ArrowRight');
    await expect.poll(focused).toBe('amount: 1');
    await press('7', '7', 'Enter');
    await cell(page, 'amount: 77').waitFor();
    await expect.poll(focused).toBe('amount: 2');
    await press('Enter');
    await page.keyboard.type('x');
    await press('Enter');
    await page.getByText('Enter a number.').waitFor();
    await press('Escape');
    await expect.poll(focused).toBe('amount: 2');
    await press('ArrowRight', ' ');
    await expect.poll(focused).toBe('isOld: true');
    await press('ArrowLeft', 'Delete');
    await cell(page, 'amount: empty').waitFor();
    await press('Home', ' ');
    await page.getByText('1 record selected').waitFor();
    await press('Control+c');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('part 2');
    await press('ArrowUp', 'Control+v');
    await expect.poll(() => cell(page, 'name: part 2').count()).toBe(2);
    await press('Shift+Enter');
    await page.getByRole('dialog', { name: `part 2 ${name}` }).waitFor();
    const stored = await db.record.findMany({ where, orderBy: { id: 'asc' } });
    expect(stored.map(({ fields }) => fields)).toEqual([
      { name: 'part 0', amount: 0 },
      { name: 'part 2', amount: 77 },
      { name: 'part 2', isOld: true },
    ]);
    expect(problems).toEqual([]);
  });

  test('a column is sorted, filtered, hidden, measured and indexed from its header, and arranged for the person', async () => {
    const { name, where } = await createParts(3);
    const { page } = await openAs(await owner(), `${APP}/data/${name}`);
    const first = () =>
      page
        .getByRole('gridcell', { name: /^name: / })
        .first()
        .getAttribute('aria-label');
    const menu = async (column: string, item: string) => {
      await page.getByRole('button', { name: `Column ${column}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await page.getByTitle('Sort by amount').click();
    await page.getByTitle('Sort by amount').click();
    await expect.poll(first).toBe('name: part 2');
    expect(page.url()).toContain('sort=-amount');
    await menu('amount', 'Statistics');
    const statistics = page.getByRole('dialog', { name: 'Statistics of amount' });
    await statistics.getByRole('row', { name: 'Largest 2' }).waitFor();
    await statistics.getByRole('row', { name: 'Records 3' }).waitFor();
    await page.keyboard.press('Escape');
    await menu('amount', 'Create an index');
    await expect
      .poll(async () => (await db.classField.findFirstOrThrow({ where: { ...where, name: 'amount' } })).indexState)
      .toBe('ready');
    await menu('name', 'Filter by name');
    await page.getByLabel('Value').fill('part 1');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('1 record', { exact: true }).waitFor();
    await menu('isOld', 'Hide');
    await page.getByRole('columnheader', { name: 'isOld' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Ones');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'All records' }).click();
    await page.getByText('3 records', { exact: true }).waitFor();
    await page.getByRole('columnheader', { name: 'isOld' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Ones', exact: true }).click();
    await page.getByText('1 record', { exact: true }).waitFor();
    await page.getByRole('columnheader', { name: 'isOld' }).waitFor({ state: 'detached' });
  });

  test.each([1024, 390])('fields and permissions of a class fit a window of %i pixels', async (width) => {
    const { name } = await createParts(1);
    const { page } = await openAs(await owner(), `${APP}/data/${name}?tab=definition`, {
      viewport: { width, height: 800 },
    });
    for (const box of ['List: amount', 'Index: amount', 'Read: API keys only']) {
      const { x, width: own } = (await page.getByLabel(box).boundingBox())!;
      expect(x + own, box).toBeLessThan(width);
    }
    if (width === 390) await page.locator('tr', { hasText: 'amount' }).getByText('Required').click();
    else await page.getByLabel('Required: amount').click();
    expect(await page.getByLabel('Required: amount').isChecked()).toBe(true);
  });

  test('a list that reads many rows names the index that makes it fast, and creates it', async () => {
    const { name, where } = await createParts(1);
    const records = Array.from({ length: 100 }, (_, at) => ({ fields: { name: 'part', amount: at } }));
    for (let nth = 0; nth < 11; nth++) await graphql(CREATE, { name, records }, apiKey);
    const { page } = await openAs(await owner(), `${APP}/data/${name}?sort=amount`);
    await page.getByText('This list reads').waitFor();
    await page.getByRole('button', { name: 'Create an index on amount' }).click();
    const state = async () =>
      (await db.classField.findFirstOrThrow({ where: { ...where, name: 'amount' } })).indexState;
    await expect.poll(state).toBe('ready');
    await page.reload();
    await cell(page, 'amount: 0').first().waitFor();
    await page.getByText('This list reads').waitFor({ state: 'detached' });
  });

  test('selected records are changed together, and undone, exported and deleted', async () => {
    const { name, where } = await createParts(120);
    const { page } = await openAs(await owner(), `${APP}/data/${name}?sort=amount`);
    await cell(page, 'name: part 0').click();
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+ArrowDown');
        return cell(page, 'name: part 119').count();
      })
      .toBe(1);
    await page.getByLabel('Select all loaded rows').check();
    await page.getByText('120 records selected').waitFor();
    await page.getByRole('button', { name: 'Edit a field' }).click();
    await page.getByRole('dialog').getByLabel('New value').fill('the same');
    await page.getByRole('button', { name: 'Change 120 records' }).click();
    const named = () => db.record.count({ where: { ...where, fields: { path: ['name'], equals: 'the same' } } });
    await expect.poll(named).toBe(120);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(named).toBe(0);
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete selected' }).click();
    await page.getByText('120 records deleted').waitFor();
    expect(await db.record.count({ where })).toBe(0);
  });

  test('the panel of a record explains who may read it, shows its history, and stores JSON', async () => {
    const { name, where, ids } = await createParts(1);
    const [id] = ids;
    const editor = await createUser({ login: 'editor', tag_list: 'editors' });
    const guest = await createUser({ login: 'guest' });
    const chef = await createUser({ login: 'chef' });
    await graphql('mutation { defineRole(name: "chef") { name } }', {}, apiKey);
    await graphql('mutation ($id: Int!) { assignRole(userId: $id, role: "chef") { id } }', { id: chef.id }, apiKey);
    const { page } = await openAs(await owner(), `${APP}/data/${name}?record=${id}&panel=permissions`);
    const panel = page.getByRole('dialog', { name: `${name} · ${id}` });
    await panel.getByRole('radio', { name: 'Read: Groups' }).check();
    // The tag of a user is suggested.
    await panel.getByRole('combobox', { name: 'Read: groups' }).click();
    await page.getByRole('option', { name: 'editors' }).click();
    await panel.getByText('Users with one of the tags editors, and the owner, may read.').waitFor();
    await page.getByRole('option', { name: 'Role: chef' }).click();
    await panel.getByText('Users with the role chef or one of the tags editors, and the owner, may read.').waitFor();
    await panel.getByRole('button', { name: 'Save permissions' }).click();
    for (const [user, sentence] of [
      [editor, 'editor may read it: the user is in the group editors.'],
      [chef, 'chef may read it: the user is in the group Role: chef.'],
      [guest, 'guest may not read it: the user is in none of the groups editors, Role: chef.'],
    ] as const) {
      await panel.getByRole('combobox', { name: 'User' }).fill(String(user.id));
      await page
        .getByRole('option', { name: String(user.id) })
        .first()
        .click();
      await panel.getByRole('button', { name: 'Check' }).click();
      await panel.getByText(sentence).waitFor();
    }
    await panel.getByRole('tab', { name: 'JSON' }).click();
    await panel.getByLabel('Values').fill('{ "name": "renamed", "amount": 5 }');
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await db.record.findFirstOrThrow({ where })).fields)
      .toMatchObject({
        name: 'renamed',
        amount: 5,
      });
    await panel.getByRole('tab', { name: 'History' }).click();
    await panel.getByText('Changed Record').first().waitFor();
    await panel.getByText('fields').first().waitFor();
  });

  test('the panel names the record, and has inputs for numbers and for times in the time zone of the person', async () => {
    const { name, where, ids } = await createParts(1, [{ name: 'soldAt', type: 'DATE' }]);
    const { page, problems } = await openAs(await owner(), `${APP}/data/${name}?record=${ids[0]}`, {
      timezoneId: 'Asia/Kathmandu',
    });
    const panel = page.getByRole('dialog', { name: `part 0 ${name} · ${ids[0]}` });
    await panel.getByLabel('amount').fill('x12');
    await panel.getByLabel('soldAt').fill('2026-11-23T18:00');
    await panel.getByRole('button', { name: 'Save' }).click();
    const stored = async () => (await db.record.findFirstOrThrow({ where })).fields;
    await expect.poll(stored).toEqual({ name: 'part 0', amount: 12, soldAt: Date.parse('2026-11-23T12:15:00Z') });
    await page.reload();
    expect(await panel.getByLabel('soldAt').inputValue()).toBe('2026-11-23T18:00');
    await panel.getByLabel('soldAt').fill('');
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect.poll(stored).toEqual({ name: 'part 0', amount: 12 });
    expect(problems).toEqual([]);
  });

  test('the shown requests run in each form', async () => {
    const { name, ids } = await createParts(3);
    const [id] = ids;
    const { page } = await openAs(await owner(), `${APP}/data/${name}?record=${id}&panel=requests`);
    const run = async (label: string, form: 'curl' | 'GraphQL' | 'TypeScript') => {
      const dialog = page.getByRole('dialog');
      await dialog.getByText(form, { exact: true }).click();
      const sample = dialog.locator('div', { has: page.getByText(label, { exact: true }) }).last();
      const text = (await sample.locator('pre').textContent())!;
      const env = { ...process.env, ATRIUM_API_KEY: APPLICATION.apiKey };
      if (form !== 'TypeScript') return JSON.parse((await execute('sh', ['-c', text], { env })).stdout || 'null');
      const { stdout } = await execute(process.execPath, [await sampleFile(text)], { env });
      return JSON.parse(stdout);
    };
    expect(await run('Read the record', 'curl')).toMatchObject({ _id: id, name: 'part 0' });
    expect(await run('Change the record', 'curl')).toMatchObject({ _id: id, name: 'part 0' });
    for (const form of ['GraphQL', 'TypeScript'] as const) {
      const answer = await run('Read the record', form);
      expect((answer.data ?? answer).record).toMatchObject({ id, fields: { name: 'part 0' } });
    }
    expect((await run('Delete the record', 'GraphQL')).data.deleteRecords.deletedIds).toEqual([id]);

    const conditions = [
      { field: 'amount', operator: 'gte', text: '1' },
      { field: 'name', operator: 'contains', text: 'part' },
      { field: 'createdAt', operator: 'gt', text: '2001-01-01T00:00:00Z' },
    ];
    const search = new URLSearchParams({ filter: JSON.stringify(conditions), sort: '-amount', requests: '1' });
    await page.goto(`${running.url}${APP}/data/${name}?${search}`);
    await page.getByText('2 records', { exact: true }).waitFor();
    const list = await run('List these records', 'curl');
    expect(list.items.map((item: { name: string }) => item.name)).toEqual(['part 2', 'part 1']);
    for (const form of ['GraphQL', 'TypeScript'] as const) {
      const answer = await run('List these records', form);
      const { edges } = (answer.data ?? answer).records;
      expect(edges.map(({ node }: { node: { fields: { name: string } } }) => node.fields.name)).toEqual([
        'part 2',
        'part 1',
      ]);
    }
  });

  test('lines of a text are kept, and the grid of a user says how many records they may read', async () => {
    const { name, where } = await createParts(2);
    await graphql(
      'mutation ($n: String!, $f: JSON!) { createRecord(input: { className: $n, fields: $f, permissions: { read: { access: OWNER } } }) { id } }',
      { n: name, f: { name: 'first\nsecond', amount: 9 } },
      apiKey,
    );
    const reader = await createUser();
    const { page } = await openAs(await owner(), `${APP}/data/${name}?sort=-amount`);
    await cell(page, 'name: first second').dblclick();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await db.record.findMany({ where })).map(({ fields }) => fields))
      .toContainEqual({ name: 'first\nsecond!', amount: 9 });
    await page.getByRole('combobox', { name: 'See as user' }).fill(String(reader.id));
    await page
      .getByRole('option', { name: String(reader.id) })
      .first()
      .click();
    await page.getByText(`User ${reader.id} may read 2 of 3.`).waitFor();
  });

  test('records are imported from CSV with chosen columns, refused rows are listed, and the rest is exported again', async () => {
    const { name } = await createParts(0);
    const { page } = await openAs(await owner(), `${APP}/data/${name}`);
    const rows = Array.from({ length: 250 }, (_, index) => `"part, ${index}",${index}`);
    const broken = ['"part, 3",7', 'wrong,many', '"part, 3",8', 'one,2,3'];
    const open = async (item: string) => {
      await page.getByRole('button', { name: 'Import, export' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await open('Import a JSON or CSV file');
    const buffer = Buffer.from(['name,How many', ...rows, ...broken].join('\n'));
    await page.locator('input[type=file]').setInputFiles({ name: 'parts.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('combobox', { name: 'Field of How many' }).click();
    await page.getByRole('option', { name: 'amount' }).click();
    await page.getByText('250 rows can be imported.').waitFor();
    await page.getByText('Row 252: name “part, 3”: Row 5 has the same value, which must be unique.').waitFor();
    await page.getByText('Row 253: amount “many”: Enter a number.').waitFor();
    await page.getByText('Row 255: It does not have 2 values.').waitFor();
    await page.getByRole('combobox', { name: 'Field of name' }).click();
    await page.getByRole('option', { name: 'amount' }).click();
    expect(await page.getByRole('combobox', { name: 'Field of How many' }).inputValue()).toBe('Leave out');
    for (const [column, field] of [
      ['How many', 'amount'],
      ['name', 'name'],
    ]) {
      await page.getByRole('combobox', { name: `Field of ${column}` }).click();
      await page.getByRole('option', { name: field!, exact: true }).click();
    }
    await page.getByText('250 rows can be imported.').waitFor();
    await graphql(CREATE, { name, records: [{ fields: { name: 'part, 9' } }] }, apiKey);
    await page.getByRole('button', { name: 'Import 250 rows' }).click();
    await page.getByText('249 records imported.').waitFor();
    await page.getByText('Row 11: name “part, 9”: Field name has already been taken').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await open('Import a JSON or CSV file');
    const numbers = { name: 'parts.json', mimeType: 'application/json', buffer: Buffer.from('[1, {"name": "p"}]') };
    await page.locator('input[type=file]').setInputFiles(numbers);
    await page.getByText('Row 1: This is not an object.').waitFor();
    await page.keyboard.press('Escape');
    const downloading = page.waitForEvent('download');
    await open('Export as CSV');
    const stream = await (await downloading).createReadStream();
    const text = Buffer.concat(await stream.toArray()).toString();
    const lines = text.trim().split('\r\n');
    expect(lines[0]).toBe('id,userId,createdAt,updatedAt,name,amount,isOld');
    expect(new Set(lines.slice(1).map((line) => line.split(',').slice(4, -1).join(',')))).toEqual(
      new Set(rows.map((row) => (row === '"part, 9",9' ? '"part, 9",' : row))),
    );
  });
});

const CREATE = `mutation ($name: String!, $records: [NewRecordInput!]!) {
  createRecords(className: $name, records: $records) { id }
}`;

/** Where `@atrium/client` is found; what it prints is JSON. */
async function sampleFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(process.cwd(), 'node_modules/.sample-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'sample.mjs');
  const code = text.replace(/console\.log\((.*)\);$/, 'console.log(JSON.stringify($1));');
  await writeFile(file, await bundle(code, 'node'));
  return file;
}

let classes = 0;

/** A class of records with the name `part <number>` and the amount `<number>`; names are unique in an empty one. */
async function createParts(count: number, more: { name: string; type: string }[] = []) {
  const name = `Part${++classes}`;
  const fields = [
    { name: 'name', type: 'STRING', unique: count === 0 },
    { name: 'amount', type: 'INTEGER' },
    { name: 'isOld', type: 'BOOLEAN' },
    ...more,
  ];
  const define = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { name } }';
  await graphql(define, { input: { name, fields } }, apiKey);
  const ids: string[] = [];
  for (let start = 0; start < count; start += 100) {
    const numbers = Array.from({ length: Math.min(100, count - start) }, (_, nth) => start + nth);
    const records = numbers.map((number) => ({ fields: { name: `part ${number}`, amount: number } }));
    const { data } = await graphql(CREATE, { name, records }, apiKey);
    ids.push(...data.createRecords.map(({ id }: { id: string }) => id));
  }
  const { key } = await db.recordClass.findFirstOrThrow({ where: { applicationId: APPLICATION.id, name } });
  return { name, ids, where: { applicationId: APPLICATION.id, classKey: key } };
}
