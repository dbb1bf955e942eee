<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>ActionText</name>
    <message>
        <source>&amp;Open Folder…</source>
        <translation>打开文件夹(&amp;O)…</translation>
    </message>
    <message>
        <source>Show the pools whose image files lie in a folder</source>
        <translation>显示镜像文件位于某个文件夹中的存储池</translation>
    </message>
    <message>
        <source>This &amp;Machine</source>
        <translation>本机(&amp;M)</translation>
    </message>
    <message>
        <source>Show the pools on the devices of this machine</source>
        <translation>显示本机设备上的存储池</translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation>刷新(&amp;R)</translation>
    </message>
    <message>
        <source>Look for pools again</source>
        <translation>重新查找存储池</translation>
    </message>
    <message>
        <source>&amp;Import Read-Only</source>
        <translation>以只读方式导入(&amp;I)</translation>
    </message>
    <message>
        <source>Open this pool for reading; nothing on its disks is changed</source>
        <translation>打开此存储池以供读取；磁盘内容不会被更改</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>导出(&amp;E)</translation>
    </message>
    <message>
        <source>Unmount this pool and close it</source>
        <translation>卸载并关闭此存储池</translation>
    </message>
    <message>
        <source>&amp;Check</source>
        <translation>检查(&amp;C)</translation>
    </message>
    <message>
        <source>Read and verify everything in this pool</source>
        <translation>读取并校验此存储池中的所有内容</translation>
    </message>
    <message>
        <source>&amp;Mount</source>
        <translation>挂载(&amp;M)</translation>
    </message>
    <message>
        <source>Make the files of this dataset visible in a folder</source>
        <translation>使此数据集的文件在文件夹中可见</translation>
    </message>
    <message>
        <source>&amp;Unmount</source>
        <translation>卸载(&amp;U)</translation>
    </message>
    <message>
        <source>Take the files of this dataset out of the folder again</source>
        <translation>将此数据集的文件从文件夹中移除</translation>
    </message>
    <message>
        <source>Open Fol&amp;der</source>
        <translation>打开文件夹(&amp;D)</translation>
    </message>
    <message>
        <source>Show the files of this dataset in the file manager</source>
        <translation>在文件管理器中显示此数据集的文件</translation>
    </message>
    <message>
        <source>&amp;Copy Rows</source>
        <translation>复制行(&amp;C)</translation>
    </message>
    <message>
        <source>Copy the selected rows of the table</source>
        <translation>复制表格中选定的行</translation>
    </message>
    <message>
        <source>&amp;Save Table…</source>
        <translation>保存表格(&amp;S)…</translation>
    </message>
    <message>
        <source>Save the table as a CSV file</source>
        <translation>将表格保存为 CSV 文件</translation>
    </message>
    <message>
        <source>&amp;Filter Datasets</source>
        <translation>筛选数据集(&amp;F)</translation>
    </message>
    <message>
        <source>Show only datasets whose name holds a text</source>
        <translation>仅显示名称包含指定文本的数据集</translation>
    </message>
    <message>
        <source>Datasets as &amp;List</source>
        <translation>以列表显示数据集(&amp;L)</translation>
    </message>
    <message>
        <source>Show datasets with full names, sorted over the whole pool</source>
        <translation>以完整名称显示数据集，并在整个存储池范围内排序</translation>
    </message>
    <message>
        <source>&amp;Pool</source>
        <translation>存储池(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Dataset</source>
        <translation>数据集(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
</context>
<context>
    <name>Advice</name>
    <message>
        <source>Devices are missing, and the copies that are left are not enough to read the pool.</source>
        <translation>缺少设备，剩余的副本不足以读取存储池。</translation>
    </message>
    <message>
        <source>Connect the missing devices and try again.</source>
        <translation>请连接缺少的设备后重试。</translation>
    </message>
    <message>
        <source>Some files are damaged and could not be rebuilt from any copy.</source>
        <translation>部分文件已损坏，无法从任何副本重建。</translation>
    </message>
    <message>
        <source>Restore the files listed below from a backup, or delete them.</source>
        <translation>请从备份恢复下列文件，或将其删除。</translation>
    </message>
    <message>
        <source>A device is being rebuilt. Until that is done the pool has less redundancy.</source>
        <translation>正在重建一个设备。完成之前存储池的冗余度较低。</translation>
    </message>
    <message>
        <source>Wait for the resilver to finish.</source>
        <translation>请等待重新同步 (resilver) 完成。</translation>
    </message>
    <message>
        <source>A device has no usable label. The other copies are enough to read everything.</source>
        <translation>某个设备没有可用的标签。其他副本足以读取全部内容。</translation>
    </message>
    <message>
        <source>Replace the device.</source>
        <translation>请更换该设备。</translation>
    </message>
    <message>
        <source>A device could not be opened. The other copies are enough to read everything.</source>
        <translation>无法打开某个设备。其他副本足以读取全部内容。</translation>
    </message>
    <message>
        <source>Connect the device, or replace it.</source>
        <translation>请连接该设备，或将其更换。</translation>
    </message>
    <message>
        <source>A device was switched off by an administrator. The other copies are enough to read everything.</source>
        <translation>某个设备已被管理员停用。其他副本足以读取全部内容。</translation>
    </message>
    <message>
        <source>Bring the device back online, or replace it.</source>
        <translation>请使该设备重新联机，或将其更换。</translation>
    </message>
    <message>
        <source>A device was taken out. The other copies are enough to read everything.</source>
        <translation>某个设备已被移走。其他副本足以读取全部内容。</translation>
    </message>
    <message>
        <source>Put the device back, or replace it.</source>
        <translation>请放回该设备，或将其更换。</translation>
    </message>
    <message>
        <source>A device had too many errors and is no longer used.</source>
        <translation>某个设备错误过多，已不再使用。</translation>
    </message>
    <message>
        <source>Replace the device, or clear its errors if it is sound.</source>
        <translation>请更换该设备；如果它完好，则清除其错误。</translation>
    </message>
    <message>
        <source>A device returned errors. Everything was rebuilt from other copies.</source>
        <translation>某个设备返回了错误。所有内容均已从其他副本重建。</translation>
    </message>
    <message>
        <source>Check the device and its cable; replace it if errors come back.</source>
        <translation>请检查该设备及其线缆；如果错误再次出现，请更换。</translation>
    </message>
    <message>
        <source>The pool has an old on-disk version. It works, without what newer versions brought.</source>
        <translation>存储池的磁盘格式版本较旧。它可以使用，只是没有新版本带来的功能。</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that knows no feature flags.</source>
        <translation>无需任何操作。升级后，不支持功能标志的软件将无法使用它。</translation>
    </message>
    <message>
        <source>Some features that this program knows are not enabled. The pool works without them.</source>
        <translation>本程序支持的部分功能未启用。存储池无需它们也能工作。</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that lacks those features.</source>
        <translation>无需任何操作。升级后，缺少这些功能的软件将无法使用它。</translation>
    </message>
</context>
<context>
    <name>CheckPanel</name>
    <message>
        <source>Problems found by the check</source>
        <translation>检查发现的问题</translation>
    </message>
    <message>
        <source>Starting the check of %1</source>
        <translation>正在开始检查 %1</translation>
    </message>
    <message>
        <source>The check failed.</source>
        <translation>检查失败。</translation>
    </message>
    <message>
        <source>The check was cancelled.</source>
        <translation>检查已取消。</translation>
    </message>
    <message>
        <source>%1 was not checked</source>
        <translation>%1 未被检查</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>再次检查</translation>
    </message>
    <message>
        <source>Checking %1</source>
        <translation>正在检查 %1</translation>
    </message>
    <message>
        <source>Every block is read and compared. No problem found so far.</source>
        <translation>正在读取并比对每个块。目前未发现问题。</translation>
    </message>
    <message>
        <source>No pool is selected</source>
        <translation>未选择存储池</translation>
    </message>
    <message>
        <source>%1 is imported</source>
        <translation>%1 已导入</translation>
    </message>
    <message>
        <source>A check reads a pool that is not in use. Export it first.</source>
        <translation>检查只能针对未使用的存储池。请先导出它。</translation>
    </message>
    <message>
        <source>%1 has not been checked</source>
        <translation>%1 尚未检查</translation>
    </message>
    <message>
        <source>A check reads every copy of every block, recomputes parity, and compares what the pool says about itself. It writes nothing and can take as long as reading the disks.</source>
        <translation>检查会读取每个块的每个副本，重新计算校验，并与存储池自身的记录比对。它不写入任何内容，所需时间可能与读完磁盘相当。</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>立即检查</translation>
    </message>
    <message>
        <source>No problem found in %1</source>
        <translation>在 %1 中未发现问题</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n 个问题</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 so far; the check goes on.</source>
        <translation>目前有 %1；检查仍在继续。</translation>
    </message>
    <message>
        <source>%1. %2 datasets, %3 blocks, %4 read in %5 s.</source>
        <translation>%1。%2 个数据集，%3 个块，%5 秒内读取 %4。</translation>
    </message>
    <message>
        <source>%1 are awaiting a resilver, which is not damage.</source>
        <translation>%1 正等待重新同步 (resilver)，这不是损坏。</translation>
    </message>
</context>
<context>
    <name>DBusClient</name>
    <message>
        <source>The helper has ended.</source>
        <translation>辅助程序已结束。</translation>
    </message>
    <message>
        <source>The helper that is running (%1) speaks version %2 of the interface, this window version %3. Close all windows, end the helper, and start again.</source>
        <translation>正在运行的辅助程序 (%1) 使用接口版本 %2，而此窗口使用版本 %3。请关闭所有窗口，结束辅助程序，然后重新启动。</translation>
    </message>
    <message>
        <source>The helper is not running.</source>
        <translation>辅助程序未运行。</translation>
    </message>
</context>
<context>
    <name>DatasetModel</name>
    <message>
        <source>Yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>No</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Not mounted</source>
        <translation>未挂载</translation>
    </message>
    <message>
        <source>Mounted at %1</source>
        <translation>挂载于 %1</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 字节</translation>
    </message>
</context>
<context>
    <name>DatasetPanel</name>
    <message>
        <source>Datasets</source>
        <translation>数据集</translation>
    </message>
    <message>
        <source>Filter datasets by name</source>
        <translation>按名称筛选数据集</translation>
    </message>
    <message>
        <source>Reading the datasets of %1</source>
        <translation>正在读取 %1 的数据集</translation>
    </message>
    <message>
        <source>Asking what is mounted</source>
        <translation>正在查询挂载情况</translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read</source>
        <translation>无法读取 %1 的数据集</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>%1 is not imported</source>
        <translation>%1 未导入</translation>
    </message>
    <message>
        <source>Import it read-only to see and mount its datasets. Nothing is written to its disks.</source>
        <translation>以只读方式导入后即可查看和挂载其数据集。不会向磁盘写入任何内容。</translation>
    </message>
    <message>
        <source>Import read-only</source>
        <translation>以只读方式导入</translation>
    </message>
    <message>
        <source>%1 cannot be imported</source>
        <translation>无法导入 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n dataset(s)</source>
        <translation>
            <numerusform>%n 个数据集</numerusform>
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
        <translation>您无权执行此操作。</translation>
    </message>
    <message>
        <source>You are not allowed to do this: %1</source>
        <translation>您无权执行此操作：%1</translation>
    </message>
    <message>
        <source>The helper did not answer in time. A disk may be slow or not respond.</source>
        <translation>辅助程序未及时响应。可能有磁盘缓慢或无响应。</translation>
    </message>
    <message>
        <source>The storage helper is not running.</source>
        <translation>存储辅助程序未运行。</translation>
    </message>
    <message>
        <source>The helper&apos;s answer could not be understood: %1</source>
        <translation>无法理解辅助程序的应答：%1</translation>
    </message>
    <message>
        <source>The helper refused: %1</source>
        <translation>辅助程序拒绝：%1</translation>
    </message>
    <message>
        <source>Connecting to the storage helper of this machine</source>
        <translation>正在连接本机的存储辅助程序</translation>
    </message>
    <message>
        <source>Starting the storage helper</source>
        <translation>正在启动存储辅助程序</translation>
    </message>
    <message>
        <source>The storage helper is ready</source>
        <translation>存储辅助程序已就绪</translation>
    </message>
    <message>
        <source>The storage helper has ended</source>
        <translation>存储辅助程序已结束</translation>
    </message>
    <message>
        <source>The storage helper has another version</source>
        <translation>存储辅助程序版本不符</translation>
    </message>
    <message>
        <source>The storage helper of this machine cannot be reached</source>
        <translation>无法连接本机的存储辅助程序</translation>
    </message>
    <message>
        <source>The storage helper could not be started</source>
        <translation>无法启动存储辅助程序</translation>
    </message>
    <message>
        <source>It reads disks and image files for this window.</source>
        <translation>它为此窗口读取磁盘和镜像文件。</translation>
    </message>
    <message>
        <source>Pools that were open in it are closed; nothing on the disks was changed. It can be started again.</source>
        <translation>其中打开的存储池已关闭；磁盘内容未被更改。可以重新启动它。</translation>
    </message>
</context>
<context>
    <name>HeadingText</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>已用</translation>
    </message>
    <message>
        <source>Available</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>Referenced</source>
        <translation>引用</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>压缩比</translation>
    </message>
    <message>
        <source>Mountpoint</source>
        <translation>挂载点</translation>
    </message>
    <message>
        <source>Mounted</source>
        <translation>已挂载</translation>
    </message>
    <message>
        <source>Snapshot</source>
        <translation>快照</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建时间</translation>
    </message>
</context>
<context>
    <name>HealthText</name>
    <message>
        <source>Online</source>
        <translation>在线</translation>
    </message>
    <message>
        <source>Degraded</source>
        <translation>降级</translation>
    </message>
    <message>
        <source>Faulted</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Unavailable</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>离线</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>已移除</translation>
    </message>
    <message>
        <source>Suspended</source>
        <translation>已挂起</translation>
    </message>
    <message>
        <source>Spare, ready</source>
        <translation>备用，就绪</translation>
    </message>
    <message>
        <source>Spare, in use</source>
        <translation>备用，使用中</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
</context>
<context>
    <name>HelperStatus</name>
    <message>
        <source>helper not started</source>
        <translation>辅助程序未启动</translation>
    </message>
    <message>
        <source>helper is starting</source>
        <translation>辅助程序正在启动</translation>
    </message>
    <message>
        <source>helper %1 is running</source>
        <translation>辅助程序 %1 正在运行</translation>
    </message>
    <message>
        <source>helper has ended</source>
        <translation>辅助程序已结束</translation>
    </message>
    <message>
        <source>no helper</source>
        <translation>没有辅助程序</translation>
    </message>
    <message>
        <source>helper has another version</source>
        <translation>辅助程序版本不符</translation>
    </message>
    <message>
        <source>System mode</source>
        <translation>系统模式</translation>
    </message>
    <message>
        <source>Private mode</source>
        <translation>私有模式</translation>
    </message>
    <message>
        <source>The helper of this machine works on its devices; it may ask for a password.</source>
        <translation>本机的辅助程序操作本机设备；可能会要求输入密码。</translation>
    </message>
    <message>
        <source>A helper of your own, with your rights: image files, and devices you may read.</source>
        <translation>以您自己的权限运行的辅助程序：可处理镜像文件以及您有权读取的设备。</translation>
    </message>
</context>
<context>
    <name>JobRow</name>
    <message>
        <source>Progress of %1</source>
        <translation>%1 的进度</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close the line of %1</source>
        <translation>关闭 %1 的行</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>取消 %1</translation>
    </message>
</context>
<context>
    <name>JobsArea</name>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>剩余 %n 秒</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>剩余 %n 分钟</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s) left</source>
        <translation>
            <numerusform>剩余 %n 小时</numerusform>
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
        <translation>正在运行</translation>
    </message>
    <message>
        <source>waiting its turn</source>
        <translation>排队等待</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>失败：%1</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>任务</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;About Millpond</source>
        <translation>关于 Millpond(&amp;A)</translation>
    </message>
    <message>
        <source>%1 – Millpond</source>
        <translation>%1 – Millpond</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>About Millpond</source>
        <translation>关于 Millpond</translation>
    </message>
    <message>
        <source>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;Storage pools in the OpenZFS format, without a kernel module.&lt;p&gt;Free software under the GNU General Public License, version 3 or later.</source>
        <translation>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;OpenZFS 格式的存储池，无需内核模块。&lt;p&gt;自由软件，采用 GNU 通用公共许可证第 3 版或更高版本。</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Close message</source>
        <translation>关闭消息</translation>
    </message>
</context>
<context>
    <name>Operations</name>
    <message>
        <source>Importing %1 read-only</source>
        <translation>正在以只读方式导入 %1</translation>
    </message>
    <message>
        <source>%1 was not imported: %2</source>
        <translation>%1 未能导入：%2</translation>
    </message>
    <message>
        <source>%1 is open read-only: nothing on its disks is changed.</source>
        <translation>%1 已以只读方式打开：磁盘内容不会被更改。</translation>
    </message>
    <message>
        <source>%1 is open read-only, but not everything in it could be mounted: %2</source>
        <translation>%1 已以只读方式打开，但部分内容无法挂载：%2</translation>
    </message>
    <message>
        <source>Exporting %1</source>
        <translation>正在导出 %1</translation>
    </message>
    <message>
        <source>%1 is exported; its disks can be taken away.</source>
        <translation>%1 已导出；可以取走其磁盘。</translation>
    </message>
    <message>
        <source>%1 was not exported: %2</source>
        <translation>%1 未能导出：%2</translation>
    </message>
    <message>
        <source>Mounting %1</source>
        <translation>正在挂载 %1</translation>
    </message>
    <message>
        <source>%1 was not mounted: %2</source>
        <translation>%1 未能挂载：%2</translation>
    </message>
    <message>
        <source>%1 is mounted.</source>
        <translation>%1 已挂载。</translation>
    </message>
    <message>
        <source>%1 is mounted at %2.</source>
        <translation>%1 已挂载于 %2。</translation>
    </message>
    <message>
        <source>Unmounting %1</source>
        <translation>正在卸载 %1</translation>
    </message>
    <message>
        <source>%1 is no longer mounted.</source>
        <translation>%1 已卸载。</translation>
    </message>
    <message>
        <source>%1 was not unmounted: %2</source>
        <translation>%1 未能卸载：%2</translation>
    </message>
</context>
<context>
    <name>OptionText</name>
    <message>
        <source>Show the pools whose image files lie in DIR.</source>
        <translation>显示镜像文件位于 DIR 中的存储池。</translation>
    </message>
    <message>
        <source>Open every pool of that folder first, read-only.</source>
        <translation>首先以只读方式打开该文件夹中的每个存储池。</translation>
    </message>
    <message>
        <source>Work with the helper of this machine, not a private one.</source>
        <translation>使用本机的辅助程序，而不是私有的。</translation>
    </message>
    <message>
        <source>Begin with the page NAME.</source>
        <translation>从页面 NAME 开始。</translation>
    </message>
    <message>
        <source>Print what the window would show, and exit.</source>
        <translation>打印窗口将显示的内容，然后退出。</translation>
    </message>
    <message>
        <source>Write a picture of the window to FILE once everything is shown, and exit.</source>
        <translation>全部显示后将窗口图片写入 FILE，然后退出。</translation>
    </message>
    <message>
        <source>Looks into storage pools and opens them.</source>
        <translation>查看并打开存储池。</translation>
    </message>
    <message>
        <source>Unexpected argument: %1</source>
        <translation>意外的参数：%1</translation>
    </message>
    <message>
        <source>--import needs --folder</source>
        <translation>--import 需要 --folder</translation>
    </message>
</context>
<context>
    <name>PageBar</name>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
</context>
<context>
    <name>PoolDetail</name>
    <message>
        <source>Devices of the pool</source>
        <translation>存储池的设备</translation>
    </message>
    <message>
        <source>Datasets, snapshots and check</source>
        <translation>数据集、快照和检查</translation>
    </message>
    <message>
        <source>D&amp;atasets</source>
        <translation>数据集(&amp;A)</translation>
    </message>
    <message>
        <source>S&amp;napshots</source>
        <translation>快照(&amp;N)</translation>
    </message>
    <message>
        <source>Chec&amp;k</source>
        <translation>检查(&amp;K)</translation>
    </message>
</context>
<context>
    <name>PoolListModel</name>
    <message>
        <source>A scrub was running; it goes on when the pool is opened for writing.</source>
        <translation>有一次 scrub 正在进行；以可写方式打开存储池后会继续。</translation>
    </message>
    <message>
        <source>The last scrub was cancelled on %1.</source>
        <translation>上次 scrub 于 %1 被取消。</translation>
    </message>
    <message numerus="yes">
        <source>Last scrub: %1, %n error(s).</source>
        <translation>
            <numerusform>上次 scrub：%1，%n 个错误。</numerusform>
        </translation>
    </message>
    <message>
        <source>A device was being rebuilt (resilvered); until that ends the pool has less redundancy.</source>
        <translation>有设备正在重建 (resilver)；完成之前存储池的冗余度较低。</translation>
    </message>
    <message>
        <source>The last rebuild (resilver) was cancelled on %1.</source>
        <translation>上次重建 (resilver) 于 %1 被取消。</translation>
    </message>
    <message numerus="yes">
        <source>Last rebuild (resilver): %1, %n error(s).</source>
        <translation>
            <numerusform>上次重建 (resilver)：%1，%n 个错误。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or object(s) are known to be damaged.</source>
        <translation>
            <numerusform>已知有 %n 个文件或对象损坏。</numerusform>
        </translation>
    </message>
    <message>
        <source>This pool was destroyed; what is left of it can be looked at.</source>
        <translation>此存储池已被销毁；可以查看其残留内容。</translation>
    </message>
    <message>
        <source>This pool cannot be imported.</source>
        <translation>无法导入此存储池。</translation>
    </message>
    <message>
        <source>Cannot be imported: %1</source>
        <translation>无法导入：%1</translation>
    </message>
    <message>
        <source>It was not exported: %1 may be using it. Opened read-only it is not changed.</source>
        <translation>它未被导出：%1 可能正在使用它。以只读方式打开不会更改它。</translation>
    </message>
    <message>
        <source>another machine</source>
        <translation>另一台机器</translation>
    </message>
    <message>
        <source>This pool can be opened for reading only.</source>
        <translation>此存储池只能以只读方式打开。</translation>
    </message>
    <message>
        <source>%1, open read-only</source>
        <translation>%1，以只读方式打开</translation>
    </message>
    <message>
        <source>%1, open</source>
        <translation>%1，已打开</translation>
    </message>
    <message>
        <source>%1, not imported</source>
        <translation>%1，未导入</translation>
    </message>
    <message>
        <source>%1, cannot be imported</source>
        <translation>%1，无法导入</translation>
    </message>
    <message>
        <source>%1 raw size</source>
        <translation>原始大小 %1</translation>
    </message>
    <message>
        <source>%1 of %2 raw space allocated (%3 %)</source>
        <translation>已分配原始空间 %1，共 %2（%3 %）</translation>
    </message>
    <message>
        <source>All devices are there. No known data errors.</source>
        <translation>所有设备都在。没有已知的数据错误。</translation>
    </message>
    <message>
        <source>All devices are there.</source>
        <translation>所有设备都在。</translation>
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
        <translation>正在本机设备上查找存储池</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>正在 %1 中查找存储池</translation>
    </message>
</context>
<context>
    <name>PoolsPage</name>
    <message>
        <source>Pools</source>
        <translation>存储池</translation>
    </message>
    <message>
        <source>Pools on this machine</source>
        <translation>本机上的存储池</translation>
    </message>
    <message>
        <source>Pools in %1</source>
        <translation>%1 中的存储池</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Looking for pools on the devices of this machine</source>
        <translation>正在本机设备上查找存储池</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>正在 %1 中查找存储池</translation>
    </message>
    <message>
        <source>No pools on the devices of this machine</source>
        <translation>本机设备上没有存储池</translation>
    </message>
    <message>
        <source>No pools in %1</source>
        <translation>%1 中没有存储池</translation>
    </message>
    <message>
        <source>Plug in the disks of a pool and refresh, or open a folder that holds its disks as image files.</source>
        <translation>连接存储池的磁盘并刷新，或打开存有其磁盘镜像文件的文件夹。</translation>
    </message>
    <message>
        <source>A pool shows up when the folder holds the image files of its disks. Folders inside it are not searched.</source>
        <translation>当文件夹中有其磁盘的镜像文件时，存储池就会显示。不搜索子文件夹。</translation>
    </message>
    <message>
        <source>Open Folder…</source>
        <translation>打开文件夹…</translation>
    </message>
    <message>
        <source>The devices of this machine could not be searched for pools</source>
        <translation>无法在本机设备上查找存储池</translation>
    </message>
    <message>
        <source>%1 could not be searched for pools</source>
        <translation>无法在 %1 中查找存储池</translation>
    </message>
    <message>
        <source>Open Folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Import read-only anyway</source>
        <translation>仍以只读方式导入</translation>
    </message>
    <message>
        <source>Folder with image files</source>
        <translation>存有镜像文件的文件夹</translation>
    </message>
    <message>
        <source>Save table</source>
        <translation>保存表格</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV 文件 (*.csv)</translation>
    </message>
    <message>
        <source>The table was saved as %1.</source>
        <translation>表格已保存为 %1。</translation>
    </message>
    <message>
        <source>%1 was not written: %2</source>
        <translation>未能写入 %1：%2</translation>
    </message>
</context>
<context>
    <name>ProblemModel</name>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
</context>
<context>
    <name>Session</name>
    <message>
        <source>Not everything was shown in time.</source>
        <translation>未能及时显示全部内容。</translation>
    </message>
    <message>
        <source>%1 could not be written.</source>
        <translation>无法写入 %1。</translation>
    </message>
</context>
<context>
    <name>SnapshotPanel</name>
    <message>
        <source>Snapshots</source>
        <translation>快照</translation>
    </message>
    <message>
        <source>No dataset is selected</source>
        <translation>未选择数据集</translation>
    </message>
    <message>
        <source>Select a dataset to see its snapshots.</source>
        <translation>选择一个数据集以查看其快照。</translation>
    </message>
    <message>
        <source>Reading the snapshots of %1</source>
        <translation>正在读取 %1 的快照</translation>
    </message>
    <message>
        <source>The snapshots of %1 could not be read</source>
        <translation>无法读取 %1 的快照</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>%1 has no snapshots</source>
        <translation>%1 没有快照</translation>
    </message>
    <message numerus="yes">
        <source>%n snapshot(s) of %1</source>
        <translation>
            <numerusform>%1 的 %n 个快照</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TextReport</name>
    <message numerus="yes">
        <source>%n pool(s) on this machine</source>
        <translation>
            <numerusform>本机上有 %n 个存储池</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pool(s) in %1</source>
        <translation>
            <numerusform>%1 中有 %n 个存储池</numerusform>
        </translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read: %2</source>
        <translation>无法读取 %1 的数据集：%2</translation>
    </message>
</context>
<context>
    <name>TranscriptBar</name>
    <message>
        <source>Command:</source>
        <translation>命令：</translation>
    </message>
    <message>
        <source>What you do here is shown as a command</source>
        <translation>您的操作会在此显示为命令</translation>
    </message>
    <message>
        <source>Equivalent command</source>
        <translation>等效命令</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Copy this command; the arrow lists earlier ones</source>
        <translation>复制此命令；箭头列出以前的命令</translation>
    </message>
</context>
<context>
    <name>VdevModel</name>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>Spares</source>
        <translation>备用</translation>
    </message>
    <message>
        <source>Special (metadata)</source>
        <translation>特殊（元数据）</translation>
    </message>
    <message>
        <source>Deduplication tables</source>
        <translation>去重表</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Errors of this kind since the pool was opened</source>
        <translation>自存储池打开以来的此类错误</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>Checksum</source>
        <translation>校验和</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>There is no page %1. Pages: %2</source>
        <translation>没有页面 %1。页面：%2</translation>
    </message>
</context>
</TS>
