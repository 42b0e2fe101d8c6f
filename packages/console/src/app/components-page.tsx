import { Button, Card, Group, SegmentedControl, Select, Stack, Switch, Tabs, TextInput, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Chart, type ChartPart } from '../ui/chart.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Empty, Failure, Loading, Page } from '../ui/page.tsx';
import { Status } from '../ui/status.tsx';
import { showUndo } from '../ui/undo.tsx';
import { Copyable, Time } from '../ui/values.tsx';

const COLORS = [
  'ground',
  'card',
  'hover',
  'selected',
  'line',
  'field-line',
  'text',
  'soft',
  'accent',
  'bar',
  'good',
  'warn',
  'bad',
];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const TIMES = HOURS.map((hour) => 1_800_000_000 + hour * 3600);
const VALUES = HOURS.map((hour) => 20 + ((hour * 37) % 60));
const FAILURES = HOURS.map((hour) => (hour % 7 === 0 ? 12 : 0));

const PARTS: ChartPart[] = [
  { name: 'Delivered', values: VALUES, color: '--bar' },
  { name: 'Failed', values: FAILURES, color: '--bad' },
];

/** The reference for authors of pages: every component in use. Only in development, at `/console/-/components`. */
export function ComponentsPage() {
  const [period, setPeriod] = useState('24');
  return (
    <main style={{ maxWidth: 960, margin: '0 auto', padding: '2rem 1rem' }}>
      <Page title="Components" description="What pages are made of. Use these before you write others.">
        <Part title="Colors">
          {COLORS.map((name) => (
            <div key={name} style={{ width: 72, fontSize: 12 }}>
              <div className="framed" style={{ height: 40, background: `var(--${name})` }} />
              {name}
            </div>
          ))}
        </Part>
        <Part title="Buttons">
          <Button>Create</Button>
          <Button variant="default">Cancel</Button>
          <Button disabled>Save</Button>
          <Button variant="default" onClick={() => showUndo('Saved', () => {})}>
            Show undo
          </Button>
          <ConfirmButton label="Delete" question="This cannot be undone." onConfirm={() => {}} isLoading={false} />
        </Part>
        <Part title="Fields">
          <TextInput label="Name" description="Shown to users" defaultValue="Grace" />
          <TextInput label="Email address" error="Enter a complete address" defaultValue="grace@" />
          <Select label="Role" data={['Owner', 'Developer']} defaultValue="Owner" />
          <Switch label="Pushes" description="Offline users receive pushes" defaultChecked />
        </Part>
        <Part title="Choices">
          <SegmentedControl
            data={[
              { value: '24', label: '24 hours' },
              { value: '168', label: '7 days' },
            ]}
            value={period}
            onChange={setPeriod}
          />
          <Status>staff</Status>
          <Status tone="good">Delivered</Status>
          <Status tone="warn">Slow</Status>
          <Status tone="bad">Failed</Status>
          <Tabs defaultValue="records">
            <Tabs.List>
              <Tabs.Tab value="records">Records</Tabs.Tab>
              <Tabs.Tab value="fields">Fields</Tabs.Tab>
            </Tabs.List>
          </Tabs>
        </Part>
        <Part title="Values">
          <Copyable label="Auth key" value="a1b2c3" />
          <Time of={1_800_000_000} />
        </Part>
        <Part title="States">
          <Loading />
          <Empty title="No users yet">They appear when they sign up.</Empty>
          <Failure error={new Error('The service did not answer.')} retry={() => {}} />
          <Notice title="The database is read-only">Changes fail until it is not.</Notice>
        </Part>
        <Part title="Chart">
          <Chart label="Pushes per hour" times={TIMES} parts={PARTS} />
        </Part>
      </Page>
    </main>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder>
      <Stack>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Group align="flex-start">{children}</Group>
      </Stack>
    </Card>
  );
}
