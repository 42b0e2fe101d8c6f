import { describe, expect, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { useApp } from '../../../support/app/app.ts';
import { hasBrowser, useBrowser } from '../../../support/clients/browser.ts';
import { APP, openAs, owner } from '../../../support/clients/console.ts';
import { graphql } from '../../../support/clients/graphql.ts';
import { apiKey } from '../../../support/fixtures/users.ts';

describe.skipIf(!hasBrowser)('records in the console', () => {
  useApp();
  useBrowser();

  test('a class is designed, filled, edited in place, undone, filtered and deleted', async () => {
    const { page, problems } = await openAs(await owner(), `${APP}/data`);
    await page.getByRole('button', { name: 'Create class' }).click();
    const design = page.getByRole('dialog');
    await design.getByLabel(/^Name\W*$/).fill('Tool');
    await design.getByLabel('Name of new field').fill('label');
    await design.getByRole('button', { name: 'Create class' }).click();
    await page.getByRole('heading', { name: 'Tool' }).waitFor();
    for (const label of ['hammer', 'saw']) {
      await page.getByRole('button', { name: 'Create record' }).click();
      await page.getByRole('dialog').getByLabel('label').fill(label);
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page.getByRole('button', { name: `label: ${label}` }).waitFor();
    }
    await page.getByRole('button', { name: 'label: saw' }).click();
    await page.getByRole('textbox', { name: 'label' }).fill('band saw');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'label: band saw' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'label: saw' }).waitFor();

    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Value').fill('hammer');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('label is hammer').waitFor();
    await page.getByRole('button', { name: 'label: saw' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'label: hammer' }).waitFor();
    expect(await page.getByRole('button', { name: 'label: saw' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Delete class' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete class' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel('Type “Tool” to confirm').fill('Tool');
    await confirm.click();
    await page.getByRole('heading', { name: 'Data' }).waitFor();
    expect(await db.recordClass.count({ where: { name: 'Tool' } })).toBe(0);
    expect(problems).toEqual([]);
  });

  test('records are imported from CSV and exported again', async () => {
    const fields = '[{ name: "name", type: STRING }, { name: "amount", type: INTEGER }]';
    await graphql(`mutation { createClass(input: { name: "Part", fields: ${fields} }) { name } }`, {}, apiKey);
    const { page } = await openAs(await owner(), `${APP}/data/Part`);
    const rows = Array.from({ length: 250 }, (_, index) => `"part, ${index}",${index}`);
    const open = async (item: string) => {
      await page.getByRole('button', { name: 'Import and export' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await open('Import a JSON or CSV file');
    const buffer = Buffer.from(['name,amount', ...rows].join('\n'));
    await page.locator('input[type=file]').setInputFiles({ name: 'parts.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('250 records imported').waitFor();
    const downloading = page.waitForEvent('download');
    await open('Export as CSV');
    const stream = await (await downloading).createReadStream();
    const text = Buffer.concat(await stream.toArray()).toString();
    const lines = text.trim().split('\r\n');
    expect(lines[0]).toBe('id,userId,createdAt,updatedAt,name,amount');
    expect(lines.slice(1).map((line) => line.split(',').slice(4).join(','))).toEqual(rows);
  });
});
