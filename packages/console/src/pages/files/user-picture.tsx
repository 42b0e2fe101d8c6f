import { graphql } from '@atrium/client';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { reason } from '../../app/access.ts';
import { clientOf } from '../../app/clients.ts';
import { nameOf, type PicturedUser } from '../../app/user-names.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { ADDRESS, addressOf, IMAGE, useOpensFiles } from './documents.ts';

const PICTURE = graphql(`query ConsolePicture($id: Int!) {
  blob(id: $id) { public contentType setCompletedAt }
}`);

interface UserPictureProps {
  application: number;
  user: PicturedUser;
  size?: number;
}

/** A private picture is shown once a reason is stated, but is itself no reason to ask for one. */
export function UserPicture({ application, user, ...props }: UserPictureProps) {
  const { blobId } = user;
  const opens = useOpensFiles(application);
  const hasReason = useSyncExternalStore(reason.subscribe, () => reason.current !== undefined);
  const mayOpen = opens && hasReason;
  const { data } = useQuery({
    queryKey: [application, 'picture', blobId, mayOpen],
    queryFn: async ({ signal }) => {
      const client = clientOf({ application });
      const { blob } = await client.query(PICTURE, { id: blobId! }, { signal });
      const isShown = blob.setCompletedAt !== null && IMAGE.test(blob.contentType) && (blob.public || mayOpen);
      if (!isShown) return null;
      const { fileAddresses } = await client.query(ADDRESS, { files: [String(blobId)] }, { signal });
      return fileAddresses[0] ? addressOf(fileAddresses[0].url) : null;
    },
    enabled: blobId !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return <Avatar name={nameOf(user)} picture={data ?? undefined} {...props} />;
}
