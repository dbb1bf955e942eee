<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>CheckPanel</name>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n problem</numerusform>
            <numerusform>%n problems</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DatasetPanel</name>
    <message numerus="yes">
        <source>%n dataset(s)</source>
        <translation>
            <numerusform>%n dataset</numerusform>
            <numerusform>%n datasets</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>JobsArea</name>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>%n second left</numerusform>
            <numerusform>%n seconds left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>%n minute left</numerusform>
            <numerusform>%n minutes left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s) left</source>
        <translation>
            <numerusform>%n hour left</numerusform>
            <numerusform>%n hours left</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PoolListModel</name>
    <message numerus="yes">
        <source>Last scrub: %1, %n error(s).</source>
        <translation>
            <numerusform>Last scrub: %1, %n error.</numerusform>
            <numerusform>Last scrub: %1, %n errors.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Last rebuild (resilver): %1, %n error(s).</source>
        <translation>
            <numerusform>Last rebuild (resilver): %1, %n error.</numerusform>
            <numerusform>Last rebuild (resilver): %1, %n errors.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or object(s) are known to be damaged.</source>
        <translation>
            <numerusform>%n file or object is known to be damaged.</numerusform>
            <numerusform>%n files or objects are known to be damaged.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SnapshotPanel</name>
    <message numerus="yes">
        <source>%n snapshot(s) of %1</source>
        <translation>
            <numerusform>%n snapshot of %1</numerusform>
            <numerusform>%n snapshots of %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TextReport</name>
    <message numerus="yes">
        <source>%n pool(s) on this machine</source>
        <translation>
            <numerusform>%n pool on this machine</numerusform>
            <numerusform>%n pools on this machine</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pool(s) in %1</source>
        <translation>
            <numerusform>%n pool in %1</numerusform>
            <numerusform>%n pools in %1</numerusform>
        </translation>
    </message>
</context>
</TS>
