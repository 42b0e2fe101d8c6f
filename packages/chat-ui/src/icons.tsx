import type { ReactNode } from 'react';

function Icon({ children, className = '' }: { children: ReactNode; className?: string }) {
  return (
    <svg
      className={`atrium-icon ${className}`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const SendIcon = () => (
  <Icon>
    <path d="M4.5 12 3 4.2c-.2-1 .8-1.7 1.7-1.3l16 7.9c1 .5 1 1.9 0 2.4l-16 7.9c-.9.4-1.9-.3-1.7-1.3L4.5 12Zm0 0h8" />
  </Icon>
);
export const AttachIcon = () => (
  <Icon>
    <path d="m21 11.5-8.9 8.9a5.6 5.6 0 0 1-8-8L13 3.6a3.8 3.8 0 0 1 5.3 5.3l-8.8 8.8a1.9 1.9 0 0 1-2.7-2.6l8.2-8.2" />
  </Icon>
);
export const SmileIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <path d="M8.5 14.5a4.5 4.5 0 0 0 7 0M9 9.5v.01M15 9.5v.01" />
  </Icon>
);
export const EditIcon = () => (
  <Icon>
    <path d="M4 20h4L19 9a2.8 2.8 0 0 0-4-4L4 16v4Zm9.5-13.5 4 4" />
  </Icon>
);
export const DeleteIcon = () => (
  <Icon>
    <path d="M4 7h16M10 11v6M14 11v6M6 7l1 12a2 2 0 0 0 2 2h6a2 2 0 0 0 2-2l1-12M9 7V4.5A1.5 1.5 0 0 1 10.5 3h3A1.5 1.5 0 0 1 15 4.5V7" />
  </Icon>
);
export const CloseIcon = () => (
  <Icon>
    <path d="M6 6l12 12M18 6 6 18" />
  </Icon>
);
export const DownIcon = () => (
  <Icon>
    <path d="m6 9 6 6 6-6" />
  </Icon>
);
export const UpIcon = () => (
  <Icon>
    <path d="m6 15 6-6 6 6" />
  </Icon>
);
export const BackIcon = () => (
  <Icon>
    <path d="m15 5-7 7 7 7" />
  </Icon>
);
export const ForwardIcon = () => (
  <Icon>
    <path d="m9 5 7 7-7 7" />
  </Icon>
);
export const OpenIcon = () => (
  <Icon>
    <path d="M13 4h7v7M20 4l-9 9M18 14v4a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h4" />
  </Icon>
);
export const MoreIcon = () => (
  <Icon>
    <path d="M5 12v.01M12 12v.01M19 12v.01" />
  </Icon>
);
export const CameraIcon = () => (
  <Icon>
    <path d="M4 8h3l2-3h6l2 3h3a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1Z" />
    <circle cx="12" cy="13" r="3.5" />
  </Icon>
);
export const ChatIcon = () => (
  <Icon>
    <path d="M4 5h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-8l-5 4v-4H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1Z" />
  </Icon>
);
export const ClockIcon = () => (
  <Icon className="atrium-mark">
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7v5l3 2" />
  </Icon>
);
export const CheckIcon = () => (
  <Icon className="atrium-mark">
    <path d="m5 13 4.5 4.5L19 7" />
  </Icon>
);
export const ChecksIcon = () => (
  <Icon className="atrium-mark atrium-mark-read">
    <path d="m2 13 4.5 4.5L15 8M12 16.500 13.500 17.500 22 8" />
  </Icon>
);
export const WarningIcon = () => (
  <Icon className="atrium-mark">
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7.5v5.500M12 16.500v.01" />
  </Icon>
);

/** Reactions that the picker offers. Others are shown as their text. */
export const REACTIONS = ['like', 'love', 'laugh', 'wow', 'sad', 'thanks'];

const FACE = <circle cx="12" cy="12" r="10" fill="#ffcc4d" />;
const EYES = (
  <>
    <ellipse cx="8.500" cy="9.800" rx="1.300" ry="1.800" fill="#664500" />
    <ellipse cx="15.500" cy="9.800" rx="1.300" ry="1.800" fill="#664500" />
  </>
);

const GLYPHS: Record<string, ReactNode> = {
  like: (
    <path
      d="M2.500 11h3.600v10H3.600A1.100 1.100 0 0 1 2.500 19.900V11Zm5.200 0 3.700-7.700c.3-.6.9-1 1.600-.9 1.500.2 2.300 1.600 2 3l-.7 3.400h5c1.500 0 2.500 1.400 2.200 2.800l-1.600 7.300A2.700 2.700 0 0 1 17.300 21H7.700V11Z"
      fill="#ffcc4d"
      stroke="#c98a00"
      strokeWidth="1"
      strokeLinejoin="round"
    />
  ),
  love: (
    <path
      d="M12 21C5.500 16.300 2 12.900 2 8.700A5.200 5.200 0 0 1 7.200 3.400c2 0 3.800 1.100 4.800 2.800a5.600 5.600 0 0 1 4.800-2.800A5.200 5.200 0 0 1 22 8.700c0 4.200-3.500 7.600-10 12.300Z"
      fill="#e5384f"
    />
  ),
  laugh: (
    <>
      {FACE}
      <path
        d="M6.500 9.700 8.500 8.300l2 1.400M13.500 9.700l2-1.400 2 1.400"
        fill="none"
        stroke="#664500"
        strokeWidth="1.500"
        strokeLinecap="round"
      />
      <path d="M6.500 12.500h11a5.500 5.500 0 0 1-11 0Z" fill="#664500" />
      <path d="M8.500 12.500h7v1.200h-7z" fill="#fff" />
    </>
  ),
  wow: (
    <>
      {FACE}
      {EYES}
      <ellipse cx="12" cy="16.200" rx="2.300" ry="2.900" fill="#664500" />
    </>
  ),
  sad: (
    <>
      {FACE}
      {EYES}
      <path d="M8.500 17a4 4 0 0 1 7 0" fill="none" stroke="#664500" strokeWidth="1.600" strokeLinecap="round" />
      <path
        d="M17 12.500c1.200 1.700 1.700 2.600 1.700 3.400a1.700 1.700 0 1 1-3.400 0c0-.8.500-1.700 1.700-3.400Z"
        fill="#5dadec"
      />
    </>
  ),
  thanks: (
    <path
      d="m12 2 2.600 6.200 6.700.5-5.100 4.400 1.600 6.500L12 16.100l-5.800 3.500 1.600-6.500-5.100-4.400 6.700-.5L12 2Z"
      fill="#f7a928"
      stroke="#c98a00"
      strokeWidth=".8"
      strokeLinejoin="round"
    />
  ),
};

export function ReactionGlyph({ name }: { name: string }) {
  const glyph = Object.hasOwn(GLYPHS, name) && GLYPHS[name];
  if (!glyph) return <span className="atrium-glyph-text">{name}</span>;
  return (
    <svg className="atrium-glyph" viewBox="0 0 24 24" aria-hidden="true">
      {glyph}
    </svg>
  );
}
