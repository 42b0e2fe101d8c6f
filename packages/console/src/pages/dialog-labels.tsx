import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { ENGLISH, type Labels, LabelsProvider } from '../../../chat-ui/src/labels.ts';
import '../../../chat-ui/src/base.css';
import '../../../chat-ui/src/message.css';
import '../../../chat-ui/src/attachments.css';
import './dialog.css';

/** Texts of the parts of the chat kit that the console uses. */
export const LABELS: Labels = {
  ...ENGLISH,
  locale: i18n.locale,
  edited: t`edited`,
  sent: t`Sent`,
  readBy: (count) => plural(count, { one: 'Read by # other', other: 'Read by # others' }),
  today: t`Today`,
  yesterday: t`Yesterday`,
  reactions: { like: t`Like`, love: t`Love`, laugh: t`Laugh`, wow: t`Wow`, sad: t`Sad`, thanks: t`Thanks` },
};

/** Around messages, which look like those of the chat kit. */
export function DialogLabels({ children }: { children: ReactNode }) {
  return (
    <LabelsProvider value={LABELS}>
      <div className="atrium-thread dialog-thread framed">{children}</div>
    </LabelsProvider>
  );
}
