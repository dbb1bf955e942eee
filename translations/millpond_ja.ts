<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja" sourcelanguage="en">
<context>
    <name>ActionText</name>
    <message>
        <source>&amp;Open Folder…</source>
        <translation>フォルダーを開く(&amp;O)…</translation>
    </message>
    <message>
        <source>Show the pools whose image files lie in a folder</source>
        <translation>フォルダーにあるイメージファイルのプールを表示します</translation>
    </message>
    <message>
        <source>This &amp;Machine</source>
        <translation>このマシン(&amp;M)</translation>
    </message>
    <message>
        <source>Show the pools on the devices of this machine</source>
        <translation>このマシンの装置にあるプールを表示します</translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation>更新(&amp;R)</translation>
    </message>
    <message>
        <source>Look for pools again</source>
        <translation>プールを探し直します</translation>
    </message>
    <message>
        <source>&amp;Import Read-Only</source>
        <translation>読み取り専用でインポート(&amp;I)</translation>
    </message>
    <message>
        <source>Open this pool for reading; nothing on its disks is changed</source>
        <translation>このプールを読み取り用に開きます。ディスクの内容は変更されません</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>エクスポート(&amp;E)</translation>
    </message>
    <message>
        <source>Unmount this pool and close it</source>
        <translation>このプールをアンマウントして閉じます</translation>
    </message>
    <message>
        <source>&amp;Check</source>
        <translation>検査(&amp;C)</translation>
    </message>
    <message>
        <source>Read and verify everything in this pool</source>
        <translation>このプールの内容をすべて読み取って検査します</translation>
    </message>
    <message>
        <source>&amp;Mount</source>
        <translation>マウント(&amp;M)</translation>
    </message>
    <message>
        <source>Make the files of this dataset visible in a folder</source>
        <translation>このデータセットのファイルをフォルダーに表示します</translation>
    </message>
    <message>
        <source>&amp;Unmount</source>
        <translation>アンマウント(&amp;U)</translation>
    </message>
    <message>
        <source>Take the files of this dataset out of the folder again</source>
        <translation>このデータセットのファイルをフォルダーから外します</translation>
    </message>
    <message>
        <source>Open Fol&amp;der</source>
        <translation>フォルダーを開く(&amp;D)</translation>
    </message>
    <message>
        <source>Show the files of this dataset in the file manager</source>
        <translation>このデータセットのファイルをファイルマネージャーで表示します</translation>
    </message>
    <message>
        <source>&amp;Copy Rows</source>
        <translation>行をコピー(&amp;C)</translation>
    </message>
    <message>
        <source>Copy the selected rows of the table</source>
        <translation>表で選択した行をコピーします</translation>
    </message>
    <message>
        <source>&amp;Save Table…</source>
        <translation>表を保存(&amp;S)…</translation>
    </message>
    <message>
        <source>Save the table as a CSV file</source>
        <translation>表を CSV ファイルとして保存します</translation>
    </message>
    <message>
        <source>&amp;Filter Datasets</source>
        <translation>データセットを絞り込む(&amp;F)</translation>
    </message>
    <message>
        <source>Show only datasets whose name holds a text</source>
        <translation>名前に指定の文字を含むデータセットだけを表示します</translation>
    </message>
    <message>
        <source>Datasets as &amp;List</source>
        <translation>データセットを一覧表示(&amp;L)</translation>
    </message>
    <message>
        <source>Show datasets with full names, sorted over the whole pool</source>
        <translation>データセットを完全な名前で、プール全体で並べ替えて表示します</translation>
    </message>
    <message>
        <source>&amp;Pool</source>
        <translation>プール(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Dataset</source>
        <translation>データセット(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>表示(&amp;V)</translation>
    </message>
</context>
<context>
    <name>Advice</name>
    <message>
        <source>Devices are missing, and the copies that are left are not enough to read the pool.</source>
        <translation>装置が欠けており、残ったコピーではプールを読み取れません。</translation>
    </message>
    <message>
        <source>Connect the missing devices and try again.</source>
        <translation>欠けている装置を接続して、もう一度試してください。</translation>
    </message>
    <message>
        <source>Some files are damaged and could not be rebuilt from any copy.</source>
        <translation>破損したファイルがあり、どのコピーからも復元できませんでした。</translation>
    </message>
    <message>
        <source>Restore the files listed below from a backup, or delete them.</source>
        <translation>下に示すファイルをバックアップから復元するか、削除してください。</translation>
    </message>
    <message>
        <source>A device is being rebuilt. Until that is done the pool has less redundancy.</source>
        <translation>装置を再構築しています。完了するまでプールの冗長性は低下しています。</translation>
    </message>
    <message>
        <source>Wait for the resilver to finish.</source>
        <translation>再同期 (resilver) が終わるまでお待ちください。</translation>
    </message>
    <message>
        <source>A device has no usable label. The other copies are enough to read everything.</source>
        <translation>ラベルが使えない装置があります。ほかのコピーですべてを読み取れます。</translation>
    </message>
    <message>
        <source>Replace the device.</source>
        <translation>装置を交換してください。</translation>
    </message>
    <message>
        <source>A device could not be opened. The other copies are enough to read everything.</source>
        <translation>開けない装置があります。ほかのコピーですべてを読み取れます。</translation>
    </message>
    <message>
        <source>Connect the device, or replace it.</source>
        <translation>装置を接続するか、交換してください。</translation>
    </message>
    <message>
        <source>A device was switched off by an administrator. The other copies are enough to read everything.</source>
        <translation>管理者が切り離した装置があります。ほかのコピーですべてを読み取れます。</translation>
    </message>
    <message>
        <source>Bring the device back online, or replace it.</source>
        <translation>装置をオンラインに戻すか、交換してください。</translation>
    </message>
    <message>
        <source>A device was taken out. The other copies are enough to read everything.</source>
        <translation>取り外された装置があります。ほかのコピーですべてを読み取れます。</translation>
    </message>
    <message>
        <source>Put the device back, or replace it.</source>
        <translation>装置を戻すか、交換してください。</translation>
    </message>
    <message>
        <source>A device had too many errors and is no longer used.</source>
        <translation>エラーが多すぎるため使われなくなった装置があります。</translation>
    </message>
    <message>
        <source>Replace the device, or clear its errors if it is sound.</source>
        <translation>装置を交換するか、正常であればエラーを消去してください。</translation>
    </message>
    <message>
        <source>A device returned errors. Everything was rebuilt from other copies.</source>
        <translation>エラーを返した装置があります。すべてほかのコピーから復元されました。</translation>
    </message>
    <message>
        <source>Check the device and its cable; replace it if errors come back.</source>
        <translation>装置とケーブルを確認し、エラーが再発するなら交換してください。</translation>
    </message>
    <message>
        <source>The pool has an old on-disk version. It works, without what newer versions brought.</source>
        <translation>プールのディスク上の形式は古いバージョンです。新しいバージョンの機能はありませんが、使用できます。</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that knows no feature flags.</source>
        <translation>何もする必要はありません。アップグレードすると、機能フラグを知らないソフトウェアでは使えなくなります。</translation>
    </message>
    <message>
        <source>Some features that this program knows are not enabled. The pool works without them.</source>
        <translation>このプログラムが知る機能の一部が無効です。プールはなくても動作します。</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that lacks those features.</source>
        <translation>何もする必要はありません。アップグレードすると、それらの機能を持たないソフトウェアでは使えなくなります。</translation>
    </message>
</context>
<context>
    <name>CheckPanel</name>
    <message>
        <source>Problems found by the check</source>
        <translation>検査で見つかった問題</translation>
    </message>
    <message>
        <source>Starting the check of %1</source>
        <translation>%1 の検査を開始しています</translation>
    </message>
    <message>
        <source>The check failed.</source>
        <translation>検査に失敗しました。</translation>
    </message>
    <message>
        <source>The check was cancelled.</source>
        <translation>検査は中止されました。</translation>
    </message>
    <message>
        <source>%1 was not checked</source>
        <translation>%1 は検査されませんでした</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>もう一度検査</translation>
    </message>
    <message>
        <source>Checking %1</source>
        <translation>%1 を検査しています</translation>
    </message>
    <message>
        <source>Every block is read and compared. No problem found so far.</source>
        <translation>すべてのブロックを読み取って照合しています。今のところ問題はありません。</translation>
    </message>
    <message>
        <source>No pool is selected</source>
        <translation>プールが選択されていません</translation>
    </message>
    <message>
        <source>%1 is imported</source>
        <translation>%1 はインポートされています</translation>
    </message>
    <message>
        <source>A check reads a pool that is not in use. Export it first.</source>
        <translation>検査は使用中でないプールに対して行います。先にエクスポートしてください。</translation>
    </message>
    <message>
        <source>%1 has not been checked</source>
        <translation>%1 はまだ検査されていません</translation>
    </message>
    <message>
        <source>A check reads every copy of every block, recomputes parity, and compares what the pool says about itself. It writes nothing and can take as long as reading the disks.</source>
        <translation>検査では、すべてのブロックのすべてのコピーを読み取り、パリティを再計算し、プール自身の記録と照合します。何も書き込まず、ディスク全体を読むのと同じくらい時間がかかることがあります。</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>今すぐ検査</translation>
    </message>
    <message>
        <source>No problem found in %1</source>
        <translation>%1 に問題は見つかりませんでした</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>問題 %n 件</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 so far; the check goes on.</source>
        <translation>今のところ%1。検査は続いています。</translation>
    </message>
    <message>
        <source>%1. %2 datasets, %3 blocks, %4 read in %5 s.</source>
        <translation>%1。データセット %2、ブロック %3、%5 秒で %4 を読み取りました。</translation>
    </message>
    <message>
        <source>%1 are awaiting a resilver, which is not damage.</source>
        <translation>%1 が再同期 (resilver) を待っています。これは破損ではありません。</translation>
    </message>
</context>
<context>
    <name>DBusClient</name>
    <message>
        <source>The helper has ended.</source>
        <translation>ヘルパーが終了しました。</translation>
    </message>
    <message>
        <source>The helper that is running (%1) speaks version %2 of the interface, this window version %3. Close all windows, end the helper, and start again.</source>
        <translation>実行中のヘルパー (%1) のインターフェイスはバージョン %2、このウィンドウはバージョン %3 です。すべてのウィンドウを閉じ、ヘルパーを終了してからやり直してください。</translation>
    </message>
    <message>
        <source>The helper is not running.</source>
        <translation>ヘルパーが動作していません。</translation>
    </message>
</context>
<context>
    <name>DatasetModel</name>
    <message>
        <source>Yes</source>
        <translation>はい</translation>
    </message>
    <message>
        <source>No</source>
        <translation>いいえ</translation>
    </message>
    <message>
        <source>Not mounted</source>
        <translation>マウントされていません</translation>
    </message>
    <message>
        <source>Mounted at %1</source>
        <translation>%1 にマウント中</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 バイト</translation>
    </message>
</context>
<context>
    <name>DatasetPanel</name>
    <message>
        <source>Datasets</source>
        <translation>データセット</translation>
    </message>
    <message>
        <source>Filter datasets by name</source>
        <translation>名前でデータセットを絞り込む</translation>
    </message>
    <message>
        <source>Reading the datasets of %1</source>
        <translation>%1 のデータセットを読み取っています</translation>
    </message>
    <message>
        <source>Asking what is mounted</source>
        <translation>マウント状況を問い合わせています</translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read</source>
        <translation>%1 のデータセットを読み取れませんでした</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>再試行</translation>
    </message>
    <message>
        <source>%1 is not imported</source>
        <translation>%1 はインポートされていません</translation>
    </message>
    <message>
        <source>Import it read-only to see and mount its datasets. Nothing is written to its disks.</source>
        <translation>読み取り専用でインポートすると、データセットの表示とマウントができます。ディスクには何も書き込まれません。</translation>
    </message>
    <message>
        <source>Import read-only</source>
        <translation>読み取り専用でインポート</translation>
    </message>
    <message>
        <source>%1 cannot be imported</source>
        <translation>%1 はインポートできません</translation>
    </message>
    <message numerus="yes">
        <source>%n dataset(s)</source>
        <translation>
            <numerusform>データセット %n 個</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>ErrorText</name>
    <message>
        <source>You are not allowed to do this.</source>
        <translation>この操作は許可されていません。</translation>
    </message>
    <message>
        <source>You are not allowed to do this: %1</source>
        <translation>この操作は許可されていません: %1</translation>
    </message>
    <message>
        <source>The helper did not answer in time. A disk may be slow or not respond.</source>
        <translation>ヘルパーが時間内に応答しませんでした。ディスクが遅いか、応答していない可能性があります。</translation>
    </message>
    <message>
        <source>The storage helper is not running.</source>
        <translation>ストレージヘルパーが動作していません。</translation>
    </message>
    <message>
        <source>The helper&apos;s answer could not be understood: %1</source>
        <translation>ヘルパーの応答を解釈できませんでした: %1</translation>
    </message>
    <message>
        <source>The helper refused: %1</source>
        <translation>ヘルパーが拒否しました: %1</translation>
    </message>
    <message>
        <source>Connecting to the storage helper of this machine</source>
        <translation>このマシンのストレージヘルパーに接続しています</translation>
    </message>
    <message>
        <source>Starting the storage helper</source>
        <translation>ストレージヘルパーを起動しています</translation>
    </message>
    <message>
        <source>The storage helper is ready</source>
        <translation>ストレージヘルパーの準備ができました</translation>
    </message>
    <message>
        <source>The storage helper has ended</source>
        <translation>ストレージヘルパーが終了しました</translation>
    </message>
    <message>
        <source>The storage helper has another version</source>
        <translation>ストレージヘルパーのバージョンが異なります</translation>
    </message>
    <message>
        <source>The storage helper of this machine cannot be reached</source>
        <translation>このマシンのストレージヘルパーに接続できません</translation>
    </message>
    <message>
        <source>The storage helper could not be started</source>
        <translation>ストレージヘルパーを起動できませんでした</translation>
    </message>
    <message>
        <source>It reads disks and image files for this window.</source>
        <translation>このウィンドウのためにディスクとイメージファイルを読み取ります。</translation>
    </message>
    <message>
        <source>Pools that were open in it are closed; nothing on the disks was changed. It can be started again.</source>
        <translation>開いていたプールは閉じられました。ディスクの内容は変更されていません。もう一度起動できます。</translation>
    </message>
</context>
<context>
    <name>HeadingText</name>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Available</source>
        <translation>空き</translation>
    </message>
    <message>
        <source>Referenced</source>
        <translation>参照</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>圧縮率</translation>
    </message>
    <message>
        <source>Mountpoint</source>
        <translation>マウントポイント</translation>
    </message>
    <message>
        <source>Mounted</source>
        <translation>マウント</translation>
    </message>
    <message>
        <source>Snapshot</source>
        <translation>スナップショット</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>作成日時</translation>
    </message>
</context>
<context>
    <name>HealthText</name>
    <message>
        <source>Online</source>
        <translation>オンライン</translation>
    </message>
    <message>
        <source>Degraded</source>
        <translation>縮退</translation>
    </message>
    <message>
        <source>Faulted</source>
        <translation>障害</translation>
    </message>
    <message>
        <source>Unavailable</source>
        <translation>利用不可</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>オフライン</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>取り外し済み</translation>
    </message>
    <message>
        <source>Suspended</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Spare, ready</source>
        <translation>スペア、待機中</translation>
    </message>
    <message>
        <source>Spare, in use</source>
        <translation>スペア、使用中</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>不明</translation>
    </message>
</context>
<context>
    <name>HelperStatus</name>
    <message>
        <source>helper not started</source>
        <translation>ヘルパーは未起動</translation>
    </message>
    <message>
        <source>helper is starting</source>
        <translation>ヘルパーを起動中</translation>
    </message>
    <message>
        <source>helper %1 is running</source>
        <translation>ヘルパー %1 が動作中</translation>
    </message>
    <message>
        <source>helper has ended</source>
        <translation>ヘルパーは終了しました</translation>
    </message>
    <message>
        <source>no helper</source>
        <translation>ヘルパーなし</translation>
    </message>
    <message>
        <source>helper has another version</source>
        <translation>ヘルパーのバージョンが異なります</translation>
    </message>
    <message>
        <source>System mode</source>
        <translation>システムモード</translation>
    </message>
    <message>
        <source>Private mode</source>
        <translation>プライベートモード</translation>
    </message>
    <message>
        <source>The helper of this machine works on its devices; it may ask for a password.</source>
        <translation>このマシンのヘルパーが装置を扱います。パスワードを求められることがあります。</translation>
    </message>
    <message>
        <source>A helper of your own, with your rights: image files, and devices you may read.</source>
        <translation>あなた自身の権限で動くヘルパーです。イメージファイルと、読み取りを許可された装置を扱います。</translation>
    </message>
</context>
<context>
    <name>JobRow</name>
    <message>
        <source>Progress of %1</source>
        <translation>%1 の進行状況</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>中止</translation>
    </message>
    <message>
        <source>Close the line of %1</source>
        <translation>%1 の行を閉じる</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>%1 を中止</translation>
    </message>
</context>
<context>
    <name>JobsArea</name>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>残り %n 秒</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>残り %n 分</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s) left</source>
        <translation>
            <numerusform>残り %n 時間</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/秒</translation>
    </message>
    <message>
        <source>running</source>
        <translation>実行中</translation>
    </message>
    <message>
        <source>waiting its turn</source>
        <translation>順番待ち</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>中止しました</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>失敗: %1</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>ジョブ</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Tools</source>
        <translation>ツール</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>終了(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;About Millpond</source>
        <translation>Millpond について(&amp;A)</translation>
    </message>
    <message>
        <source>%1 – Millpond</source>
        <translation>%1 – Millpond</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>ヘルプ(&amp;H)</translation>
    </message>
    <message>
        <source>About Millpond</source>
        <translation>Millpond について</translation>
    </message>
    <message>
        <source>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;Storage pools in the OpenZFS format, without a kernel module.&lt;p&gt;Free software under the GNU General Public License, version 3 or later.</source>
        <translation>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;カーネルモジュールなしで OpenZFS 形式のストレージプールを扱います。&lt;p&gt;GNU General Public License バージョン 3 以降に基づく自由ソフトウェアです。</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Close message</source>
        <translation>メッセージを閉じる</translation>
    </message>
</context>
<context>
    <name>Operations</name>
    <message>
        <source>Importing %1 read-only</source>
        <translation>%1 を読み取り専用でインポートしています</translation>
    </message>
    <message>
        <source>%1 was not imported: %2</source>
        <translation>%1 はインポートされませんでした: %2</translation>
    </message>
    <message>
        <source>%1 is open read-only: nothing on its disks is changed.</source>
        <translation>%1 を読み取り専用で開きました。ディスクの内容は変更されません。</translation>
    </message>
    <message>
        <source>%1 is open read-only, but not everything in it could be mounted: %2</source>
        <translation>%1 を読み取り専用で開きましたが、一部をマウントできませんでした: %2</translation>
    </message>
    <message>
        <source>Exporting %1</source>
        <translation>%1 をエクスポートしています</translation>
    </message>
    <message>
        <source>%1 is exported; its disks can be taken away.</source>
        <translation>%1 をエクスポートしました。ディスクを取り外せます。</translation>
    </message>
    <message>
        <source>%1 was not exported: %2</source>
        <translation>%1 はエクスポートされませんでした: %2</translation>
    </message>
    <message>
        <source>Mounting %1</source>
        <translation>%1 をマウントしています</translation>
    </message>
    <message>
        <source>%1 was not mounted: %2</source>
        <translation>%1 はマウントされませんでした: %2</translation>
    </message>
    <message>
        <source>%1 is mounted.</source>
        <translation>%1 をマウントしました。</translation>
    </message>
    <message>
        <source>%1 is mounted at %2.</source>
        <translation>%1 を %2 にマウントしました。</translation>
    </message>
    <message>
        <source>Unmounting %1</source>
        <translation>%1 をアンマウントしています</translation>
    </message>
    <message>
        <source>%1 is no longer mounted.</source>
        <translation>%1 をアンマウントしました。</translation>
    </message>
    <message>
        <source>%1 was not unmounted: %2</source>
        <translation>%1 はアンマウントされませんでした: %2</translation>
    </message>
</context>
<context>
    <name>OptionText</name>
    <message>
        <source>Show the pools whose image files lie in DIR.</source>
        <translation>DIR にあるイメージファイルのプールを表示します。</translation>
    </message>
    <message>
        <source>Open every pool of that folder first, read-only.</source>
        <translation>まずそのフォルダーのプールをすべて読み取り専用で開きます。</translation>
    </message>
    <message>
        <source>Work with the helper of this machine, not a private one.</source>
        <translation>プライベートではなく、このマシンのヘルパーを使います。</translation>
    </message>
    <message>
        <source>Begin with the page NAME.</source>
        <translation>ページ NAME から始めます。</translation>
    </message>
    <message>
        <source>Print what the window would show, and exit.</source>
        <translation>ウィンドウに表示される内容を出力して終了します。</translation>
    </message>
    <message>
        <source>Write a picture of the window to FILE once everything is shown, and exit.</source>
        <translation>すべて表示されたらウィンドウの画像を FILE に書き込んで終了します。</translation>
    </message>
    <message>
        <source>Looks into storage pools and opens them.</source>
        <translation>ストレージプールの中を調べて開きます。</translation>
    </message>
    <message>
        <source>Unexpected argument: %1</source>
        <translation>予期しない引数: %1</translation>
    </message>
    <message>
        <source>--import needs --folder</source>
        <translation>--import には --folder が必要です</translation>
    </message>
</context>
<context>
    <name>PageBar</name>
    <message>
        <source>Pages</source>
        <translation>ページ</translation>
    </message>
</context>
<context>
    <name>PoolDetail</name>
    <message>
        <source>Devices of the pool</source>
        <translation>プールの装置</translation>
    </message>
    <message>
        <source>Datasets, snapshots and check</source>
        <translation>データセット、スナップショット、検査</translation>
    </message>
    <message>
        <source>D&amp;atasets</source>
        <translation>データセット(&amp;A)</translation>
    </message>
    <message>
        <source>S&amp;napshots</source>
        <translation>スナップショット(&amp;N)</translation>
    </message>
    <message>
        <source>Chec&amp;k</source>
        <translation>検査(&amp;K)</translation>
    </message>
</context>
<context>
    <name>PoolListModel</name>
    <message>
        <source>A scrub was running; it goes on when the pool is opened for writing.</source>
        <translation>スクラブの途中でした。書き込み用に開くと再開されます。</translation>
    </message>
    <message>
        <source>The last scrub was cancelled on %1.</source>
        <translation>前回のスクラブは %1 に中止されました。</translation>
    </message>
    <message numerus="yes">
        <source>Last scrub: %1, %n error(s).</source>
        <translation>
            <numerusform>前回のスクラブ: %1、エラー %n 件。</numerusform>
        </translation>
    </message>
    <message>
        <source>A device was being rebuilt (resilvered); until that ends the pool has less redundancy.</source>
        <translation>装置の再構築 (resilver) の途中でした。完了するまでプールの冗長性は低下しています。</translation>
    </message>
    <message>
        <source>The last rebuild (resilver) was cancelled on %1.</source>
        <translation>前回の再構築 (resilver) は %1 に中止されました。</translation>
    </message>
    <message numerus="yes">
        <source>Last rebuild (resilver): %1, %n error(s).</source>
        <translation>
            <numerusform>前回の再構築 (resilver): %1、エラー %n 件。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or object(s) are known to be damaged.</source>
        <translation>
            <numerusform>%n 個のファイルまたはオブジェクトの破損が判明しています。</numerusform>
        </translation>
    </message>
    <message>
        <source>This pool was destroyed; what is left of it can be looked at.</source>
        <translation>このプールは破棄されています。残っている内容は参照できます。</translation>
    </message>
    <message>
        <source>This pool cannot be imported.</source>
        <translation>このプールはインポートできません。</translation>
    </message>
    <message>
        <source>Cannot be imported: %1</source>
        <translation>インポートできません: %1</translation>
    </message>
    <message>
        <source>It was not exported: %1 may be using it. Opened read-only it is not changed.</source>
        <translation>エクスポートされていません。%1 が使用中の可能性があります。読み取り専用で開けば変更されません。</translation>
    </message>
    <message>
        <source>another machine</source>
        <translation>ほかのマシン</translation>
    </message>
    <message>
        <source>This pool can be opened for reading only.</source>
        <translation>このプールは読み取り専用でのみ開けます。</translation>
    </message>
    <message>
        <source>%1, open read-only</source>
        <translation>%1、読み取り専用</translation>
    </message>
    <message>
        <source>%1, open</source>
        <translation>%1、使用中</translation>
    </message>
    <message>
        <source>%1, not imported</source>
        <translation>%1、未インポート</translation>
    </message>
    <message>
        <source>%1, cannot be imported</source>
        <translation>%1、インポート不可</translation>
    </message>
    <message>
        <source>%1 raw size</source>
        <translation>物理サイズ %1</translation>
    </message>
    <message>
        <source>%1 of %2 raw space allocated (%3 %)</source>
        <translation>物理容量 %2 のうち %1 を使用 (%3 %)</translation>
    </message>
    <message>
        <source>All devices are there. No known data errors.</source>
        <translation>すべての装置が揃っています。データエラーは確認されていません。</translation>
    </message>
    <message>
        <source>All devices are there.</source>
        <translation>すべての装置が揃っています。</translation>
    </message>
    <message>
        <source>%1 (guid %2)</source>
        <translation>%1 (guid %2)</translation>
    </message>
</context>
<context>
    <name>PoolLoader</name>
    <message>
        <source>Looking for pools on the devices of this machine</source>
        <translation>このマシンの装置でプールを探しています</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>%1 でプールを探しています</translation>
    </message>
</context>
<context>
    <name>PoolsPage</name>
    <message>
        <source>Pools</source>
        <translation>プール</translation>
    </message>
    <message>
        <source>Pools on this machine</source>
        <translation>このマシンのプール</translation>
    </message>
    <message>
        <source>Pools in %1</source>
        <translation>%1 のプール</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>再試行</translation>
    </message>
    <message>
        <source>Looking for pools on the devices of this machine</source>
        <translation>このマシンの装置でプールを探しています</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>%1 でプールを探しています</translation>
    </message>
    <message>
        <source>No pools on the devices of this machine</source>
        <translation>このマシンの装置にプールはありません</translation>
    </message>
    <message>
        <source>No pools in %1</source>
        <translation>%1 にプールはありません</translation>
    </message>
    <message>
        <source>Plug in the disks of a pool and refresh, or open a folder that holds its disks as image files.</source>
        <translation>プールのディスクを接続して更新するか、ディスクのイメージファイルが入ったフォルダーを開いてください。</translation>
    </message>
    <message>
        <source>A pool shows up when the folder holds the image files of its disks. Folders inside it are not searched.</source>
        <translation>ディスクのイメージファイルがフォルダーにあるとプールが表示されます。サブフォルダーは検索しません。</translation>
    </message>
    <message>
        <source>Open Folder…</source>
        <translation>フォルダーを開く…</translation>
    </message>
    <message>
        <source>The devices of this machine could not be searched for pools</source>
        <translation>このマシンの装置でプールを探せませんでした</translation>
    </message>
    <message>
        <source>%1 could not be searched for pools</source>
        <translation>%1 でプールを探せませんでした</translation>
    </message>
    <message>
        <source>Open Folder</source>
        <translation>フォルダーを開く</translation>
    </message>
    <message>
        <source>Import read-only anyway</source>
        <translation>それでも読み取り専用でインポート</translation>
    </message>
    <message>
        <source>Folder with image files</source>
        <translation>イメージファイルのフォルダー</translation>
    </message>
    <message>
        <source>Save table</source>
        <translation>表を保存</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV ファイル (*.csv)</translation>
    </message>
    <message>
        <source>The table was saved as %1.</source>
        <translation>表を %1 に保存しました。</translation>
    </message>
    <message>
        <source>%1 was not written: %2</source>
        <translation>%1 に書き込めませんでした: %2</translation>
    </message>
</context>
<context>
    <name>ProblemModel</name>
    <message>
        <source>Kind</source>
        <translation>種類</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>場所</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>問題</translation>
    </message>
</context>
<context>
    <name>Session</name>
    <message>
        <source>Not everything was shown in time.</source>
        <translation>時間内にすべてを表示できませんでした。</translation>
    </message>
    <message>
        <source>%1 could not be written.</source>
        <translation>%1 に書き込めませんでした。</translation>
    </message>
</context>
<context>
    <name>SnapshotPanel</name>
    <message>
        <source>Snapshots</source>
        <translation>スナップショット</translation>
    </message>
    <message>
        <source>No dataset is selected</source>
        <translation>データセットが選択されていません</translation>
    </message>
    <message>
        <source>Select a dataset to see its snapshots.</source>
        <translation>データセットを選択するとスナップショットが表示されます。</translation>
    </message>
    <message>
        <source>Reading the snapshots of %1</source>
        <translation>%1 のスナップショットを読み取っています</translation>
    </message>
    <message>
        <source>The snapshots of %1 could not be read</source>
        <translation>%1 のスナップショットを読み取れませんでした</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>再試行</translation>
    </message>
    <message>
        <source>%1 has no snapshots</source>
        <translation>%1 にスナップショットはありません</translation>
    </message>
    <message numerus="yes">
        <source>%n snapshot(s) of %1</source>
        <translation>
            <numerusform>%1 のスナップショット %n 個</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TextReport</name>
    <message numerus="yes">
        <source>%n pool(s) on this machine</source>
        <translation>
            <numerusform>このマシンのプール %n 個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pool(s) in %1</source>
        <translation>
            <numerusform>%1 のプール %n 個</numerusform>
        </translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read: %2</source>
        <translation>%1 のデータセットを読み取れませんでした: %2</translation>
    </message>
</context>
<context>
    <name>TranscriptBar</name>
    <message>
        <source>Command:</source>
        <translation>コマンド:</translation>
    </message>
    <message>
        <source>What you do here is shown as a command</source>
        <translation>操作に対応するコマンドがここに表示されます</translation>
    </message>
    <message>
        <source>Equivalent command</source>
        <translation>対応するコマンド</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>コマンドをコピー</translation>
    </message>
    <message>
        <source>Copy this command; the arrow lists earlier ones</source>
        <translation>このコマンドをコピーします。矢印で以前のコマンドを表示します</translation>
    </message>
</context>
<context>
    <name>VdevModel</name>
    <message>
        <source>Logs</source>
        <translation>ログ</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>キャッシュ</translation>
    </message>
    <message>
        <source>Spares</source>
        <translation>スペア</translation>
    </message>
    <message>
        <source>Special (metadata)</source>
        <translation>特殊 (メタデータ)</translation>
    </message>
    <message>
        <source>Deduplication tables</source>
        <translation>重複排除テーブル</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>装置</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状態</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>サイズ</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>備考</translation>
    </message>
    <message>
        <source>Errors of this kind since the pool was opened</source>
        <translation>プールを開いてからのこの種類のエラー数</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>読み取り</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>書き込み</translation>
    </message>
    <message>
        <source>Checksum</source>
        <translation>チェックサム</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>There is no page %1. Pages: %2</source>
        <translation>ページ %1 はありません。ページ: %2</translation>
    </message>
</context>
</TS>
